"""Small configs, as readings and as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from fsds_convert.containers import accelerate_file
from fsds_convert.containers.reading import Reading
from fsds_convert.settings.context import Context
from fsds_convert.syntax.source import load

FSDP1: dict[str, Any] = {
    "distributed_type": "FSDP",
    "mixed_precision": "bf16",
    "num_machines": 1,
    "num_processes": 2,
    "fsdp_config": {
        "fsdp_version": 1,
        "fsdp_sharding_strategy": "FULL_SHARD",
        "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
        "fsdp_transformer_layer_cls_to_wrap": "LlamaDecoderLayer",
        "fsdp_state_dict_type": "SHARDED_STATE_DICT",
        "fsdp_use_orig_params": True,
    },
}
FSDP2: dict[str, Any] = {
    **FSDP1,
    "fsdp_config": {
        "fsdp_version": 2,
        "fsdp_reshard_after_forward": True,
        "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
        "fsdp_transformer_layer_cls_to_wrap": "LlamaDecoderLayer",
        "fsdp_state_dict_type": "SHARDED_STATE_DICT",
    },
}
ZERO3: dict[str, Any] = {
    "distributed_type": "DEEPSPEED",
    "mixed_precision": "bf16",
    "num_machines": 1,
    "num_processes": 2,
    "deepspeed_config": {
        "zero_stage": 3,
        "zero3_init_flag": True,
        "zero3_save_16bit_model": True,
        "gradient_accumulation_steps": 1,
        "gradient_clipping": 1.0,
    },
}
DDP: dict[str, Any] = {"distributed_type": "MULTI_GPU", "mixed_precision": "no", "num_machines": 1, "num_processes": 2}
BASES = {"fsdp1": FSDP1, "fsdp2": FSDP2, "deepspeed": ZERO3, "ddp": DDP}
SECTION = {"fsdp1": "fsdp_config", "fsdp2": "fsdp_config", "deepspeed": "deepspeed_config"}


def config(base: str, top: Mapping[str, Any] = {}, inside: Mapping[str, Any] = {}) -> dict[str, Any]:
    """A base with changes at its top and inside its section."""
    made = {**BASES[base], **top}
    if inside:
        made[SECTION[base]] = {**made[SECTION[base]], **inside}
    return made


def read(data: Mapping[str, Any], context: Context | None = None) -> Reading:
    """A config as it is read."""
    text = yaml.safe_dump(dict(data))
    return accelerate_file.read(load(text.encode(), "config.yaml"), context or Context(model_dtype="bf16"))


def write(folder: Path, name: str, data: Mapping[str, Any]) -> str:
    """A config as a file; its name."""
    (folder / name).write_text(yaml.safe_dump(dict(data)), "utf-8")
    return name
