"""The settings in force in a worker: what `Accelerator()` made of the launcher's variables."""

from __future__ import annotations

from typing import Any

from . import deepspeed_plugin, fsdp_plugin
from .launcher import Launched
from .outcome import Refused
from .process import accelerator

Settings = dict[str, Any]

_TOPOLOGY = (
    "num_processes",
    "num_machines",
    "machine_rank",
    "main_process_ip",
    "main_process_port",
    "gpu_ids",
    "mixed_precision",
)


def settings(launched: Launched) -> Settings | Refused:
    """Effective settings by name; keys depend on `engine` (fsdp1, fsdp2, deepspeed, ddp, single)."""
    try:
        with accelerator(launched) as (started, said):
            found = _common(started, launched)
            if started.state.deepspeed_plugins is not None:
                found.update(deepspeed_plugin.settings(started, launched.args))
            elif started.distributed_type == "FSDP":
                found.update(fsdp_plugin.settings(started))
    except Exception as error:
        return Refused.because("plugin", error)
    return {**found, "notices": list(dict.fromkeys((*launched.notices, *said)))}


def _common(started: Any, launched: Launched) -> Settings:
    dynamo = started.state.dynamo_plugin
    return {
        "engine": _engine(started),
        "launcher": launched.launcher,
        "torchrun": dict(launched.torchrun),
        "command": list(launched.command),
        "topology": {name: getattr(launched.args, name) for name in _TOPOLOGY},
        "processes": started.num_processes,
        "backend": started.state.backend,
        "mixed_precision": started.mixed_precision,
        "autocast": started.native_amp,
        "grad_scaler": None if started.scaler is None else type(started.scaler).__name__,
        "gradient_accumulation_steps": started.gradient_accumulation_steps,
        "fp8_backend": started.fp8_backend.value if started.fp8_enabled else None,
        "dynamo": {
            "backend": dynamo.backend.value,
            "mode": dynamo.mode,
            "fullgraph": dynamo.fullgraph,
            "dynamic": dynamo.dynamic,
            "use_regional_compilation": dynamo.use_regional_compilation,
        },
        "parallelism": _parallelism(started.parallelism_config),
    }


def _engine(started: Any) -> str:
    kind = str(started.distributed_type.value)
    if kind == "FSDP":
        return f"fsdp{started.state.fsdp_plugin.fsdp_version}"
    return {"DEEPSPEED": "deepspeed", "MULTI_GPU": "ddp", "NO": "single"}.get(kind, kind)


def _parallelism(config: Any) -> dict[str, Any] | None:
    """Sizes and handlers after ParallelismConfig._validate_accelerator; None where there is no such config."""
    if config is None:
        return None
    found: dict[str, Any] = {
        name: getattr(config, name)
        for name in ("dp_replicate_size", "dp_shard_size", "tp_size", "cp_size", "cp_backend", "sp_size", "sp_backend")
    }
    if config.cp_handler is not None:
        found["cp_comm_strategy"] = config.cp_handler.cp_comm_strategy
    if config.sp_handler is not None:
        found.update(vars(config.sp_handler))
    return found
