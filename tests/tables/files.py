"""The smallest file that holds a key: an Accelerate YAML, or the DeepSpeed JSON that one names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

Keys = Mapping[str, Any]  # dotted key: value

ENGINES: dict[str, Keys] = {
    "fsdp1": {"distributed_type": "FSDP", "num_processes": 8},
    "fsdp2": {"distributed_type": "FSDP", "num_processes": 8, "fsdp_config.fsdp_version": 2},
    "deepspeed": {"distributed_type": "DEEPSPEED", "num_processes": 8},
    "ddp": {"distributed_type": "MULTI_GPU", "num_processes": 8},
    "single": {"distributed_type": "NO"},
}
JSON_NAME = "ds.json"
_JSON: Keys = {"train_micro_batch_size_per_gpu": 1, "zero_optimization.stage": 2}
_FILE = "deepspeed_config.deepspeed_config_file"


def base_json() -> str:
    """The JSON without the key in question."""
    return json.dumps(_nested(_JSON))


def write(folder: Path, engine: str, keys: Keys) -> Path:
    """The YAML of an engine with further keys."""
    path = folder / "accelerate.yaml"
    path.write_text(yaml.safe_dump(_nested(_over(ENGINES[engine], keys)), sort_keys=False), encoding="utf-8")
    return path


def write_json(folder: Path, keys: Keys, accelerate: Keys | None = None) -> Path:
    """A YAML that names a DeepSpeed JSON with further keys."""
    beside = folder / JSON_NAME
    beside.write_text(json.dumps(_nested(_over(_JSON, keys))), encoding="utf-8")
    return write(folder, "deepspeed", {_FILE: str(beside), **(accelerate or {})})


def _over(base: Keys, keys: Keys) -> dict[str, Any]:
    """Both, without those keys of the base that would stand inside a value of the others."""
    inside = {key for key in base for other in keys if key.startswith(f"{other}.")}
    return {**{key: value for key, value in base.items() if key not in inside}, **keys}


def _nested(keys: Keys) -> dict[str, Any]:
    """Dotted keys as nested mappings; a key inside another's value goes into that mapping."""
    root: dict[str, Any] = {}
    for key in sorted(keys, key=lambda key: key.count(".")):
        *sections, name = key.split(".")
        node = root
        for section in sections:
            if not isinstance(node.get(section), dict):
                node[section] = {}
            node = node[section]
        node[name] = dict(keys[key]) if isinstance(keys[key], dict) else keys[key]
    return root
