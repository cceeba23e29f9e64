"""An Accelerate config file, read as `accelerate launch` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from fsds_convert.containers import deepspeed_json
from fsds_convert.containers.deepspeed_file import Named, named_file
from fsds_convert.containers.distributed_type import Distributed, distributed
from fsds_convert.containers.reading import Reading
from fsds_convert.containers.syntax_findings import syntax_findings
from fsds_convert.diagnostics import Change, Diagnostic, Fix, finding
from fsds_convert.engines import deepspeed_precision as precision
from fsds_convert.engines.deepspeed import STAGE
from fsds_convert.engines.modules import training_plan
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.find import refused
from fsds_convert.settings.context import Context
from fsds_convert.settings.read_section import Reader
from fsds_convert.settings.setting import Setting, default
from fsds_convert.syntax.source import Source
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Row
from fsds_convert.tables.versions import checked

_IN = ("deepspeed_config",)
_SECTIONS = {
    "fsdp1": ("fsdp", "parallelism", "dynamo", "fp8"),
    "fsdp2": ("fsdp", "parallelism", "dynamo", "fp8"),
    "deepspeed": ("parallelism", "dynamo", "fp8"),
    "ddp": ("dynamo", "fp8"),
}


def read(source: Source, context: Context) -> Reading:
    """Settings, plan and findings of an Accelerate file.

    Raises InputError for an environment or distributed type that no engine here stands for.
    """
    if context.consumer == "deepspeed":
        context = replace(context, consumer="accelerate")  # nothing else reads such a file
    kind = distributed(source)
    reader = Reader(source, kind.engine, context)
    told = {"distributed_type": default(kind.name, "", "distributed_type")} if kind.findings else {}
    written = {key: value for key, value in source.data.items() if key not in told}
    top = reader.section(load_table("accelerate"), written, given=told)
    settings, findings = dict(top.settings), [*syntax_findings(source), *kind.findings, *top.findings]
    for name in _SECTIONS[kind.engine]:
        table = load_table(name)
        data, found = _mapping(reader, table.section)
        section = reader.section(table, data, (table.section,))
        settings |= section.settings
        findings += [*found, *section.findings]
    named = None
    if kind.engine == "deepspeed":
        named, deepspeed_settings, found = _deepspeed(reader, context)
        settings |= deepspeed_settings
        settings |= precision.sections(settings, context)
        findings += found
    findings += _sections_not_read(reader, kind)
    for key, setting in deepspeed_json.launch_options(context).items():
        if key not in settings or not settings[key].is_written or settings[key].written is None:
            settings[key] = setting
    facts = Facts(
        *(
            source,
            "accelerate",
            kind.engine,
            settings,
            context,
            partial(training_plan, kind.engine, settings, context),
            kind.name,
        ),
        deepspeed_file=named.source if named else None,
        deepspeed_path=named.written if named else None,
    )
    return Reading(source, "accelerate", kind.engine, settings, (*findings, *refused(facts)), facts)


def _mapping(reader: Reader, name: str) -> tuple[Mapping[Any, Any], list[Diagnostic]]:
    data = reader.source.data.get(name)
    if isinstance(data, Mapping):
        return data, []
    if data is None:
        return {}, []
    note = "Accelerate ignores it, and the defaults run"
    if name == "deepspeed_config":
        note = f"accelerate launch raises AttributeError: '{type(data).__name__}' object has no attribute 'keys'"
    return {}, [reader.not_a_mapping((name,), data, note)]


def _deepspeed(reader: Reader, context: Context) -> tuple[Named | None, dict[str, Setting[Any]], list[Diagnostic]]:
    """The inline section and the JSON that it names, by the keys of the JSON."""
    table = load_table("deepspeed-inline")
    data, findings = _mapping(reader, table.section)
    named, found = named_file(reader, data)
    findings += found
    held, given = None, {}
    if named is not None and named.source is not None:
        held = deepspeed_json.read_section(named.source, named.source.data, context)
        given = {"deepspeed_config.zero_stage": held.settings[STAGE]}
        findings += [*syntax_findings(named.source), *held.findings]
    inline = reader.section(table, {key: data[key] for key in data if key != "zero_stage" or not given}, _IN, given)
    # a key that may not stand beside the JSON at all is told of once
    beside = [row.name for row in table if row.conflicts_with_file and row.name in data] if named is not None else []
    refused_there = {str(reader.place((*_IN, name))) for name in beside}
    findings += [f for f in inline.findings if f.name != "ignored-value" or str(f.place) not in refused_there]
    as_json = {}
    for row in table:
        if row.json is not None and (setting := inline.settings.pop(row.key, None)) is not None:
            as_json[row.json] = setting.lift(_as_json(row, setting.value), _as_json(row, setting.intent))
    if held is None:
        held = deepspeed_json.read_section(reader.source, {"zero_optimization": {}}, context, as_json)
    return named, {**held.settings, **inline.settings}, findings


def _as_json(row: Row, value: Any) -> Any:
    """The path `none` stands for no path."""
    return None if row.type == "path" and value == "none" else value


def _sections_not_read(reader: Reader, kind: Distributed) -> list[Diagnostic]:
    """fsdp_config under DEEPSPEED and the like: Accelerate reads only the section of the distributed type."""
    reads = {"fsdp1": "fsdp_config", "fsdp2": "fsdp_config", "deepspeed": "deepspeed_config"}.get(kind.engine)
    return [
        finding(
            "section-not-read",
            f"`{name}` is not read with `distributed_type: {kind.name}`",
            reader.place((name,), key=True),
            note="Accelerate reads only the section of the distributed type",
            help=f"remove it, or write `distributed_type: {wanted}`",
            fix=Fix(f"remove `{name}`", (Change("remove", (name,)),), guess=True),
            checked=checked(load_table("accelerate").rows[0].source),
        )
        for name, wanted in (("fsdp_config", "FSDP"), ("deepspeed_config", "DEEPSPEED"))
        if name != reads and reader.source.data.get(name)
    ]
