"""What was written for a plan field: for the report."""

from __future__ import annotations

from typing import Any

from fsds_convert.convert.compose import Composed
from fsds_convert.engines.fields import Engine
from fsds_convert.engines.modules import tables_of
from fsds_convert.plan.training_plan import FIELDS

# spelled by one of several keys, or together with another field
_SEVERAL = {
    "sharding.strategy": ("distributed_type",),
    "sharding.replicas": (
        "parallelism_config.parallelism_config_dp_replicate_size",
        "fsdp_config.fsdp_sharding_strategy",
    ),
    "precision.compute": ("mixed_precision", "bf16.enabled", "fp16.enabled", "torch_autocast.dtype"),
    "precision.master_weights": ("bf16.bf16_master_weights_and_grads",),
    "precision.optimizer_states": ("bf16.bf16_optimizer_states",),
}


def written_for(engine: Engine, composed: Composed) -> dict[str, tuple[str, Any]]:
    """Plan field -> the key and the value that stand for it in the converted files; fields without one are left out."""
    values: dict[str, Any] = dict(composed.accelerate.top)
    for section, keys in composed.accelerate.sections.items():
        values |= {f"{section}.{name}": value for name, value in keys.items()}
    values |= _flat(composed.json or {})
    found = {}
    for path in FIELDS:
        for key in (*_keys(engine, path), *_SEVERAL.get(path, ())):
            if key in values:
                found[path] = (key, values[key])
                break
    return found


def _keys(engine: Engine, path: str) -> list[str]:
    rows = (row for table in tables_of(engine) for row in table)
    return [row.key for row in rows if row.field == path and not row.replaced_by]


def _flat(data: Any, inside: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in data.items():
        key = f"{inside}{name}"
        flat[key] = value
        if isinstance(value, dict):
            flat |= _flat(value, f"{key}.")
    return flat
