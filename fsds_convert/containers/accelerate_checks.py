"""Combinations of keys that the launcher or the plugin refuses, each as upstream words it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsds_convert.containers.deepspeed_file import Named
from fsds_convert.containers.distributed_type import Distributed
from fsds_convert.diagnostics import Diagnostic, finding
from fsds_convert.settings.read_section import Reader
from fsds_convert.settings.setting import Setting, Settings
from fsds_convert.tables.load import load_table


def checks(reader: Reader, kind: Distributed, settings: Settings, named: Named | None) -> Iterator[Diagnostic]:
    """Every refused combination of an Accelerate file."""
    yield from _num_processes(reader, kind)
    if kind.engine in ("fsdp1", "fsdp2"):
        yield from _version(reader)
        yield from _broadcast(reader)
        yield from _fsdp(reader, kind, settings)
    if named is not None:
        yield from _next_to_file(reader)
    if kind.engine == "deepspeed":
        yield from _two_precisions(reader, settings)
        yield from _auto_accumulation(reader)


def _num_processes(reader: Reader, kind: Distributed) -> Iterator[Diagnostic]:
    written = reader.source.data.get("num_processes", reader.context.num_processes or -1)
    if kind.name != "NO" and written in (-1, None):
        yield finding(
            "num-processes-missing",
            "the file does not say `num_processes`",
            reader.place(("num_processes",)),
            note="accelerate launch raises ValueError: You need to manually pass in `--num_processes`",
            help="write `num_processes`, the sum over all machines, or pass --num_processes",
        )


def _section(reader: Reader, name: str) -> dict[str, Any]:
    section = reader.source.data.get(name)
    prefix = load_table({"fsdp_config": "fsdp"}.get(name, "deepspeed-inline")).prefix
    if not isinstance(section, dict):
        return {}
    return {str(key) if str(key).startswith(prefix) else prefix + str(key): value for key, value in section.items()}


def _version(reader: Reader) -> Iterator[Diagnostic]:
    version = str(_section(reader, "fsdp_config").get("fsdp_version", 1))
    if version not in ("1", "2") and version.lstrip("-").isdigit():
        yield finding(
            "combination-refused",
            f"`fsdp_version: {version}` does not exist",
            reader.place(("fsdp_config", "fsdp_version")),
            note="Accelerate takes it for neither version and fails with KeyError: 'TRUE'",
            help="write `fsdp_version: 2`",
        )


def _broadcast(reader: Reader) -> Iterator[Diagnostic]:
    """The launcher compares the raw values (accelerate/utils/launch.py:306)."""
    section = _section(reader, "fsdp_config")
    loading = section.get("fsdp_cpu_ram_efficient_loading", True)
    if loading and not section.get("fsdp_sync_module_states", True):
        yield finding(
            "combination-refused",
            "`fsdp_sync_module_states` is off while `fsdp_cpu_ram_efficient_loading` is on",
            reader.place(("fsdp_config", "fsdp_sync_module_states")),
            note="accelerate launch raises ValueError: When using `--fsdp_cpu_ram_efficient_loading` set "
            "`--fsdp_sync_module_states` to `True`; it is on unless the file says false, without quotes",
            help="write `fsdp_cpu_ram_efficient_loading: false`, or `fsdp_sync_module_states: true`",
        )


def _fsdp(reader: Reader, kind: Distributed, settings: Settings) -> Iterator[Diagnostic]:
    def value(name: str) -> Any:
        return settings.get(f"fsdp_config.{name}", Setting(None, None)).value

    def place(name: str) -> Any:
        return settings[f"fsdp_config.{name}"].origin.place or reader.place(("fsdp_config",))

    if kind.engine == "fsdp2" and value("fsdp_state_dict_type") == "LOCAL_STATE_DICT":
        yield finding(
            "combination-refused",
            "FSDP2 has no `LOCAL_STATE_DICT`",
            place("fsdp_state_dict_type"),
            note="ValueError: FSDP2 does not support LOCAL_STATE_DICT",
            help="write `SHARDED_STATE_DICT` or `FULL_STATE_DICT`",
        )
    offload = settings.get("fsdp_config.fsdp_activation_checkpointing_offload")
    if offload is not None and offload.intent is True and offload.is_written:
        missing = "fsdp_version=2" if kind.engine == "fsdp1" else "activation_checkpointing=True"
        if kind.engine == "fsdp1" or value("fsdp_activation_checkpointing") is not True:
            yield finding(
                "combination-refused",
                "`fsdp_activation_checkpointing_offload` needs FSDP2 and `fsdp_activation_checkpointing: true`",
                place("fsdp_activation_checkpointing_offload"),
                note=f"ValueError: `activation_checkpointing_offload=True` requires `{missing}`.",
                help="remove it, or write what it needs",
            )
    yield from _degrees(reader, kind, settings)


def _degrees(reader: Reader, kind: Distributed, settings: Settings) -> Iterator[Diagnostic]:
    """The product of all parallel sizes (accelerate/parallelism_config.py:372)."""
    if not isinstance(reader.source.data.get("parallelism_config"), dict):
        return
    total = 1
    for name in ("dp_replicate", "dp_shard", "tp", "cp"):
        size = settings.get(f"parallelism_config.parallelism_config_{name}_size")
        written = size.intent if size is not None else 1
        total *= written if isinstance(written, int) else 1
    place = reader.place(("parallelism_config",), key=True)
    processes = settings.get("num_processes")
    if kind.engine == "fsdp1" and total > 1:
        yield finding(
            "combination-refused",
            "`parallelism_config` works with FSDP2 only",
            place,
            note="ValueError: ParallelismConfig is only compatible DistributedType.FSDP (version 2)",
            help="write `fsdp_version: 2`, or remove the section",
        )
    elif (
        kind.engine == "fsdp2"
        and processes is not None
        and isinstance(processes.value, int)
        and total != processes.value
    ):
        yield finding(
            "combination-refused",
            f"the sizes in `parallelism_config` multiply to {total}, not to `num_processes: {processes.value}`",
            place,
            note=f"ValueError: ParallelismConfig total_size ({total}) does not match num_processes ({processes.value})",
            help="every key needs the prefix `parallelism_config_`; change a size or num_processes",
        )


def _next_to_file(reader: Reader) -> Iterator[Diagnostic]:
    """accelerate/utils/dataclasses.py:1507."""
    table = load_table("deepspeed-inline")
    inside: list[tuple[str, ...]] = [
        ("deepspeed_config", str(key))
        for key in _section(reader, "deepspeed_config")
        for row in table.by_key.get(f"deepspeed_config.{key}", ())
        if row.conflicts_with_file
    ]
    if reader.source.data.get("mixed_precision") is not None or reader.source.data.get("fp16") is True:
        inside.append(("mixed_precision",))
    for path in inside:
        yield finding(
            "inline-key-next-to-deepspeed-file",
            f"`{path[-1]}` stands next to `deepspeed_config_file`",
            reader.place(path, key=True),
            note="ValueError: When using `deepspeed_config_file`, the following accelerate config variables will be "
            "ignored",
            help="remove it, and say it in the DeepSpeed JSON",
        )


def _two_precisions(reader: Reader, settings: Settings) -> Iterator[Diagnostic]:
    def enabled(name: str) -> bool:
        setting = settings.get(f"{name}.enabled")
        return setting is not None and setting.is_written and setting.value is True

    mode = settings["mixed_precision"].value
    for name, others in (("bf16", ("fp16",)), ("fp16", ("bf16", "fp8"))):
        if enabled(name) and mode in others:
            yield finding(
                "combination-refused",
                f"`mixed_precision: {mode}` against `{name}.enabled` in the DeepSpeed JSON",
                settings["mixed_precision"].origin.place or reader.place(()),
                note=f"ValueError: `--mixed_precision` arg cannot be set to `{mode}` when `{name}` is set in the "
                "DeepSpeed config file",
                help=f"say {name} in both, or in the JSON alone",
            )


def _auto_accumulation(reader: Reader) -> Iterator[Diagnostic]:
    """Only the Trainer resolves it inline (accelerate/accelerator.py:546)."""
    written = _section(reader, "deepspeed_config").get("gradient_accumulation_steps")
    if written == "auto" and reader.context.consumer == "accelerate":
        yield finding(
            "combination-refused",
            "`gradient_accumulation_steps: auto` works inline only under the Trainer",
            reader.place(("deepspeed_config", "gradient_accumulation_steps")),
            note="Accelerator() raises ValueError: invalid literal for int() with base 10: 'auto'",
            help="remove it: the script's value is taken; or say --for trainer",
        )
