"""The smallest file that holds a key: an Accelerate YAML, and the DeepSpeed JSON that it names where the key is there."""

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
_JSON: Keys = {"train_micro_batch_size_per_gpu": 1, "zero_optimization.stage": 2}
_FILE = "deepspeed_config.deepspeed_config_file"


def nested(keys: Keys) -> dict[str, Any]:
    """Dotted keys as nested mappings; a key inside another's value goes into that mapping."""
    root: dict[str, Any] = {}
    for key in sorted(keys, key=lambda key: key.count(".")):
        *sections, name = key.split(".")
        node = root
        for section in sections:
            inner = node.get(section)
            if not isinstance(inner, dict):
                inner = node[section] = {}
            node = inner
        node[name] = dict(keys[key]) if isinstance(keys[key], dict) else keys[key]
    return root


def write(folder: Path, engine: str, accelerate: Keys, json_keys: Keys | None = None) -> Path:
    """The YAML of an engine with further keys; with `json_keys` it names a JSON that holds those."""
    keys = {**ENGINES[engine], **accelerate}
    if json_keys is not None:
        beside = folder / "ds.json"
        beside.write_text(json.dumps(nested({**_JSON, **json_keys})), encoding="utf-8")
        keys = {_FILE: str(beside), **keys}
    path = folder / "accelerate.yaml"
    path.write_text(yaml.safe_dump(nested(keys), sort_keys=False), encoding="utf-8")
    return path
