"""Combinations of keys that the launcher or the plugin refuses, each as upstream words it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsds_convert.containers.deepspeed_file import Named
from fsds_convert.containers.distributed_type import Distributed
from fsds_convert.containers.parallelism_checks import sizes
from fsds_convert.diagnostics import Diagnostic, finding
from fsds_convert.engines.fields import missing_release
from fsds_convert.settings.read_section import Reader
from fsds_convert.settings.setting import Setting, Settings
from fsds_convert.tables.load import load_table

_MULTI_GPU = (
    *("MULTI_GPU", "MULTI_NPU", "MULTI_MLU", "MULTI_SDAA", "MULTI_MUSA", "MULTI_XPU", "MULTI_HPU", "MULTI_NEURON"),
)
# started by Accelerate itself, without torchrun
_ONE_PROCESS = ("NO", "MULTI_CPU")


def checks(reader: Reader, kind: Distributed, settings: Settings, named: Named | None) -> Iterator[Diagnostic]:
    """Every refused combination of an Accelerate file."""
    yield from _num_processes(reader, kind)
    yield from _devices(reader, kind)
    yield from sizes(reader, kind, settings)
    if kind.engine in ("fsdp1", "fsdp2"):
        yield from _version(reader, kind)
        yield from _broadcast(reader)
        yield from _fsdp(reader, kind, settings)
        yield from _fp8(reader, settings)
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
    if kind.name in _ONE_PROCESS and isinstance(written, str):
        yield finding(
            "combination-refused",
            f"`num_processes: {written}` is text",
            reader.place(("num_processes",)),
            note="TypeError: '>' not supported between instances of 'str' and 'int'; torchrun would take it",
            help="write a number",
        )


def _devices(reader: Reader, kind: Distributed) -> Iterator[Diagnostic]:
    """One device with MULTI_GPU, several machines without an address (accelerate/commands/launch.py:1255)."""
    data = reader.source.data
    devices, machines = data.get("gpu_ids"), data.get("num_machines", 1)
    several = isinstance(machines, int) and machines > 1
    if kind.name in _MULTI_GPU and isinstance(devices, str) and devices != "all" and "," not in devices and not several:
        yield finding(
            "combination-refused",
            f"`distributed_type: {kind.name}` with one device",
            reader.place(("gpu_ids",)),
            note="ValueError: Less than two GPU ids were configured and tried to run on multiple GPUs",
            help='write "all", two ids, or `distributed_type: NO` in quotes',
        )
    for name, words in (("main_process_ip", "main process IP"), ("main_process_port", "main process port")):
        if kind.name in _ONE_PROCESS and several and data.get(name) is None:
            yield finding(
                "combination-refused",
                f"`num_machines: {machines}` without `{name}`",
                reader.place(("num_machines",)),
                note=f"AssertionError: When using multiple machines, you need to specify the {words}",
                help=f"write `{name}`",
            )


def _fp8(reader: Reader, settings: Settings) -> Iterator[Diagnostic]:
    """accelerate/accelerator.py:520 and 605; without a backend it depends on what is installed."""
    backend = settings.get("fp8_config.fp8_backend")
    if settings["mixed_precision"].value != "fp8" or backend is None:
        return
    if backend.value == "AO" and settings["fsdp_config.fsdp_cpu_ram_efficient_loading"].value is True:
        yield finding(
            "combination-refused",
            "torchao's fp8 does not go with `fsdp_cpu_ram_efficient_loading`",
            backend.origin.place or reader.place(("fp8_config",)),
            note="ValueError: torchao with FSDP2 and cpu_ram_efficient_loading is not supported; it is on unless the "
            "file says false",
            help="write `fsdp_cpu_ram_efficient_loading: false`",
        )
    if backend.value == "MSAMP":
        yield finding(
            "combination-refused",
            "MS-AMP does not go with FSDP",
            backend.origin.place or reader.place(("fp8_config",)),
            note="NotImplementedError: `accelerate` + `MS-AMP` + `FSDP` is not supported at this time",
            help="write `fp8_backend: TE`",
        )


def _section(reader: Reader, name: str) -> dict[str, Any]:
    section = reader.source.data.get(name)
    prefix = load_table({"fsdp_config": "fsdp"}.get(name, "deepspeed-inline")).prefix
    if not isinstance(section, dict):
        return {}
    return {str(key) if str(key).startswith(prefix) else prefix + str(key): value for key, value in section.items()}


def _version(reader: Reader, kind: Distributed) -> Iterator[Diagnostic]:
    missing = missing_release(kind.engine, reader.context.versions) if kind.engine else None
    if missing is not None:
        yield finding(
            "combination-refused",
            f"`fsdp_version: 2` needs {missing}",
            reader.place(("fsdp_config", "fsdp_version")),
            note="an older torch raises ImportError: FSDP2 requires PyTorch; an older accelerate runs FSDP1",
            help="upgrade, or write `fsdp_version: 1`",
        )
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
