"""DeepSpeed's own reading of a JSON configuration: DeepSpeedConfig, without an engine."""

from __future__ import annotations

import copy
import math
from enum import Enum
from functools import reduce
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .deepspeed_import import deepspeed
from .environment import notices
from .node import Patch, applied
from .outcome import Refused
from .prepare import HIDDEN_SIZE, MICRO_BATCH_SIZE, TOTAL_STEPS

_ATTRIBUTES = (
    "train_batch_size",
    "train_micro_batch_size_per_gpu",
    "gradient_accumulation_steps",
    "managed_gradient_accumulation",
    "gradient_clipping",
    "steps_per_print",
    "prescale_gradients",
    "gradient_predivide_factor",
    "gradient_allreduce_op",
    "communication_data_type",
    "seq_parallel_communication_data_type",
    "disable_allgather",
    "dump_state",
    "disable_python_gc",
    "dataloader_drop_last",
    "memory_breakdown",
    "wall_clock_breakdown",
    "log_level",
    "zero_allow_untested_optimizer",
    "zero_force_ds_cpu_optimizer",
)
_SECTIONS = {  # JSON section: attribute of DeepSpeedConfig
    "zero_optimization": "zero_config",
    "fp16": "float16_config",
    "bf16": "bfloat16_config",
    "aio": "aio_config",
    "activation_checkpointing": "activation_checkpointing_config",
    "flops_profiler": "flops_profiler_config",
    "compile": "compile_config",
    "hybrid_engine": "hybrid_engine",
    "timers.throughput": "timers_config",
    "tensor_parallel": "tensor_parallel_config",
    "pipeline": "pipeline",
    "optimizer.params": "optimizer_params",
    "scheduler.params": "scheduler_params",
    "checkpoint": "checkpoint_config",
    "expert_parallel": "expert_parallel_config",
    "comms_logger": "comms_config.comms_logger",
    "tensorboard": "monitor_config.tensorboard",
    "wandb": "monitor_config.wandb",
    "csv_monitor": "monitor_config.csv_monitor",
    "comet": "monitor_config.comet",
    "weight_quantization": "weight_quantization_config",
}
_RENAMED = {  # JSON name: attribute of DeepSpeedConfig
    "torch_autocast.enabled": "torch_autocast_enabled",
    "torch_autocast.dtype": "torch_autocast_dtype",
    "torch_autocast.lower_precision_safe_modules": "torch_autocast_lower_precision_safe_modules",
    "data_types.grad_accum_dtype": "grad_accum_dtype",
    "data_types.param_dtype": "param_dtype",
    "data_types.buffer_dtype": "buffer_dtype",
    "data_types.keep_in_fp32_modules": "keep_in_fp32_modules",
    "optimizer.type": "optimizer_name",
    "optimizer.legacy_fusion": "optimizer_legacy_fusion",
    "scheduler.type": "scheduler_name",
    "checkpoint.load_universal": "load_universal_checkpoint",
    "checkpoint.use_node_local_storage": "use_node_local_storage",
    "checkpoint.parallel_write.pipeline_stage": "checkpoint_parallel_write_pipeline",
    "data_efficiency.enabled": "data_efficiency_enabled",
    "use_data_before_expert_parallelism": "use_data_before_expert_parallel_",
}


def load(path: Path) -> dict[str, Any] | Refused:
    """A file as DeepSpeed itself reads it (hjson, no duplicate keys); Accelerate takes strict JSON only."""
    import hjson

    pairs = deepspeed().runtime.config.dict_raise_error_on_duplicate_keys
    try:
        with path.open() as file:
            config: dict[str, Any] = hjson.load(file, object_pairs_hook=pairs)
    except Exception as error:
        return Refused.because("deepspeed", error)
    return config


def build(config: dict[str, Any], world_size: int) -> dict[str, Any] | Refused:
    """Effective values under dotted JSON names for `world_size` ranks; "auto" as Accelerate's prepare fills it."""
    try:
        with applied(ranks(world_size)), notices():
            found = deepspeed().runtime.config.DeepSpeedConfig(filled(config, world_size))
    except Exception as error:
        return Refused.because("deepspeed", error)
    values = {name: _plain(getattr(found, name)) for name in _ATTRIBUTES}
    for section, attribute in _SECTIONS.items():
        values.update(_flat(section, reduce(_inside, attribute.split("."), found)))
    values.update({name: _plain(getattr(found, attribute)) for name, attribute in _RENAMED.items()})
    return values


def ranks(world_size: int) -> tuple[Patch, ...]:
    """The process group DeepSpeedConfig looks for; without one it takes a single rank."""
    comm = deepspeed().comm
    from deepspeed.runtime.swap_tensor import aio_config

    cuda = SimpleNamespace(device_name=lambda: "cuda")
    return (
        Patch(
            aio_config, "get_accelerator", lambda: cuda, "aio.use_gds asks for CUDA; DeepSpeed stands on the CPU here"
        ),
        Patch(comm, "get_rank", lambda *_: 0, "no process group is started for a configuration"),
        Patch(comm, "get_world_size", lambda *_: world_size, "the same"),
    )


def filled(config: dict[str, Any], world_size: int) -> dict[str, Any]:
    """A copy with the "auto" values replaced that a plain Accelerate script resolves; other ones stay as they are."""
    config = copy.deepcopy(config)
    steps = config.get("gradient_accumulation_steps", 1)
    steps = 1 if steps == "auto" else steps
    micro = config.get("train_micro_batch_size_per_gpu", MICRO_BATCH_SIZE)
    micro = MICRO_BATCH_SIZE if micro == "auto" else micro
    for dotted, value in _FILLED.items():
        _fill(config, dotted, value)
    _fill(config, "gradient_accumulation_steps", steps)
    _fill(config, "scheduler.params.total_num_steps", math.ceil(TOTAL_STEPS / world_size))
    _fill(config, "train_micro_batch_size_per_gpu", micro)
    if config.get("train_batch_size") == "auto":
        config["train_batch_size"] = micro * steps * world_size
    return config


# accelerate/accelerator.py:2223-2352 for the defaults of DummyOptim and DummyScheduler, utils/dataclasses.py:1280, 1418
_FILLED: dict[str, Any] = {
    "gradient_clipping": 1.0,
    "zero_optimization.stage": 2,
    "zero_optimization.offload_optimizer.device": "none",
    "zero_optimization.offload_optimizer.nvme_path": "none",
    "zero_optimization.offload_param.device": "none",
    "zero_optimization.offload_param.nvme_path": "none",
    "zero_optimization.stage3_gather_16bit_weights_on_model_save": False,
    "zero_optimization.reduce_bucket_size": HIDDEN_SIZE * HIDDEN_SIZE,
    "zero_optimization.stage3_prefetch_bucket_size": int(0.9 * HIDDEN_SIZE * HIDDEN_SIZE),
    "zero_optimization.stage3_param_persistence_threshold": 10 * HIDDEN_SIZE,
    "fp16.enabled": False,
    "bf16.enabled": False,
    "optimizer.params.lr": 0.001,
    "optimizer.params.weight_decay": 0,
    "scheduler.params.warmup_min_lr": 0,
    "scheduler.params.warmup_max_lr": 0.001,
    "scheduler.params.warmup_num_steps": 1,
}


def _fill(config: dict[str, Any], dotted: str, value: Any) -> None:
    *sections, key = dotted.split(".")
    node: Any = config
    for section in sections:
        node = node.get(section) if isinstance(node, dict) else None
    if isinstance(node, dict) and node.get(key) == "auto":
        node[key] = value


def _inside(owner: Any, name: str) -> Any:
    return getattr(owner, name, None)  # comms_config has a comms_logger only where the JSON has


def _flat(prefix: str, value: Any) -> dict[str, Any]:
    fields = getattr(type(value), "model_fields", None)
    if fields is not None:
        pairs = {info.alias or name: getattr(value, name, None) for name, info in fields.items()}
    elif isinstance(value, dict):
        pairs = value
    elif hasattr(value, "__dict__") and not isinstance(value, Enum):
        pairs = vars(value)
    else:
        return {prefix: _plain(value)}
    flat: dict[str, Any] = {}
    for name, inner in pairs.items():
        nested = hasattr(type(inner), "model_fields") or isinstance(inner, dict)
        flat.update(_flat(f"{prefix}.{name}", inner) if nested else {f"{prefix}.{name}": _plain(inner)})
    return flat


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)  # DeepSpeed's own int and enum subclasses
    if value is None or isinstance(value, bool | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return str(value).removeprefix("torch.")
