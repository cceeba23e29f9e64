"""Which engine an Accelerate file chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fsds_convert.diagnostics import Change, Diagnostic, Fix, Place, finding
from fsds_convert.engines.fields import Engine
from fsds_convert.errors import InputError
from fsds_convert.settings.show import show
from fsds_convert.syntax.closest import closest, surely
from fsds_convert.syntax.source import Source
from fsds_convert.tables.load import load_table
from fsds_convert.tables.versions import checked


@dataclass(frozen=True)
class Distributed:
    """The engine, the distributed type that stands for it, and what is wrong with the way it was written."""

    engine: Engine
    name: str
    findings: tuple[Diagnostic, ...] = ()


def distributed(source: Source) -> Distributed:
    """The engine that the file chooses; raises InputError for SageMaker, TPU and Megatron-LM files."""
    data = source.data
    environment = data.get("compute_environment") or "LOCAL_MACHINE"
    if environment != "LOCAL_MACHINE":
        text = f"`compute_environment: {environment}` is launched by SageMaker"
        hint = "fsds reads files with `compute_environment: LOCAL_MACHINE`"
        raise InputError(_at(source, "compute_environment"), text, hint)
    row = load_table("accelerate").by_key["distributed_type"][0]
    written = data.get("distributed_type")
    place = Place(source.name, source.values.get(("distributed_type",)))
    if "distributed_type" not in data:
        name = _by_section(data)
        found = finding(
            "distributed-type-missing",
            "the file has no `distributed_type`",
            Place(source.name),
            note="Accelerate raises ValueError: A `distributed_type` must be specified in the config file",
            help=f"write `distributed_type: {name}`",
            fix=Fix(f"write `distributed_type: {name}`", (Change("set", ("distributed_type",), name),), guess=True),
            checked=checked(row.source),
        )
        return Distributed(_engine(source, row.values, name), name, (found,))
    if isinstance(written, str) and written in row.values:
        return Distributed(_engine(source, row.values, written), written)
    near = closest(written, list(row.values)) if isinstance(written, str) else None
    name = near or ("NO" if written is False else _by_section(data))
    said = source.number_or_boolean(("distributed_type",)) or show(written)
    # NO without quotes runs as NO does: one process
    sure = written is False or (near is not None and surely(str(written), near))
    found = finding(
        "distributed-type-refused",
        f"`distributed_type: {said}` is not a distributed type",
        place,
        note=f"ValueError: '{written}' is not a valid DistributedType"
        if isinstance(written, str)
        else "YAML reads it as another type than text; Accelerate starts one process, without sharding",
        help=f"write `{name}`" + (" in quotes" if name == "NO" else ""),
        fix=Fix(f"write `{name}`", (Change("set", ("distributed_type",), name),), guess=not sure),
        checked=checked(row.source),
    )
    return Distributed(_engine(source, row.values, name), name, (found,))


def _engine(source: Source, engines: Any, name: str) -> Engine:
    engine: str | None = engines[name]
    if engine == "fsdp":
        return "fsdp2" if _fsdp_version(source.data) == "2" else "fsdp1"
    if engine not in ("deepspeed", "ddp"):
        text = f"`distributed_type: {name}` is neither FSDP, DeepSpeed nor DDP"
        hint = "fsds reads FSDP, DEEPSPEED, MULTI_GPU and its like, and NO"
        raise InputError(_at(source, "distributed_type"), text, hint)
    return engine  # type: ignore[return-value]  # narrowed by the line above; mypy does not see it through `not in`


def _fsdp_version(data: dict[Any, Any]) -> str:
    section = data.get("fsdp_config")
    if not isinstance(section, dict):
        return "1"
    # with and without the prefix it is the same key, and the last one counts
    version = [value for key, value in section.items() if key in ("fsdp_version", "version")] or [1]
    return str(version[-1]).removesuffix(".0")


def _by_section(data: dict[Any, Any]) -> str:
    if data.get("deepspeed_config"):
        return "DEEPSPEED"
    return "FSDP" if data.get("fsdp_config") else "MULTI_GPU"


def _at(source: Source, key: str) -> str:
    return str(Place(source.name, source.values.get((key,))))
