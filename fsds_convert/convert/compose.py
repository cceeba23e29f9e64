"""A plan -> the keys of an Accelerate file, and of a DeepSpeed JSON where one is needed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fsds_convert.containers.written_keys import AccelerateKeys, nested
from fsds_convert.engines.deepspeed import CLIPPING
from fsds_convert.engines.fields import Engine
from fsds_convert.engines.modules import settings_of
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided
from fsds_convert.tables.load import load_table

DISTRIBUTED_TYPES: Mapping[Engine, str] = {
    "fsdp1": "FSDP",
    "fsdp2": "FSDP",
    "deepspeed": "DEEPSPEED",
    "ddp": "MULTI_GPU",
}
_FILE = "deepspeed_config_file"
_PRECISION = ("bf16.enabled", "fp16.enabled")
# what an inline file gives by itself (accelerate/utils/dataclasses.py:1302)
_INLINE_AUTO = ("train_batch_size", "train_micro_batch_size_per_gpu")


@dataclass(frozen=True)
class Composed:
    """The keys of both files; `json` is None when the settings fit inline. `why_json` names the keys that do not."""

    accelerate: AccelerateKeys
    json: Mapping[str, Any] | None = None
    why_json: tuple[str, ...] = ()


def compose(engine: Engine, plan: TrainingPlan, context: Context, *, inline_only: bool = False) -> Composed:
    """The keys of an Accelerate file for an engine; DeepSpeed inline, or in a JSON when something does not fit.

    With `inline_only` what does not fit is left out, and named in `why_json`.
    """
    values = settings_of(engine, plan, context)
    if engine != "ddp" or values.get("distributed_type") in (None, "FSDP", "DEEPSPEED"):
        values["distributed_type"] = DISTRIBUTED_TYPES[engine]
    if engine != "deepspeed":
        return Composed(_sections(values))
    json = {key: values.pop(key) for key in list(values) if _in_json(key)}
    inline, left = _inline(json)
    if left and not inline_only:
        return Composed(_with_file(values, plan), nested(json), left)
    return Composed(_sections(_in_table_order({**values, **inline, **_mixed_precision(plan)})), why_json=left)


def compose_with_file(plan: TrainingPlan, context: Context) -> Composed:
    """The keys of an Accelerate file that names a DeepSpeed JSON, and of that JSON."""
    values = {**settings_of("deepspeed", plan, context), "distributed_type": DISTRIBUTED_TYPES["deepspeed"]}
    json = {key: values.pop(key) for key in list(values) if _in_json(key)}
    return Composed(_with_file(values, plan), nested(json))


def _in_json(key: str) -> bool:
    return key in load_table("deepspeed-json").by_key


def _sections(values: Mapping[str, Any]) -> AccelerateKeys:
    top: dict[str, Any] = {}
    sections: dict[str, dict[str, Any]] = {}
    for key, value in values.items():
        section, _, name = key.rpartition(".")
        shown = value
        if isinstance(value, tuple):
            shown = ",".join(value) if all(isinstance(part, str) for part in value) else list(value)
        if section:
            sections.setdefault(section, {})[name] = shown
        else:
            top[key] = shown
    return AccelerateKeys(top, sections)


def _with_file(values: Mapping[str, Any], plan: TrainingPlan) -> AccelerateKeys:
    kept = {key: value for key, value in values.items() if key != "mixed_precision"}
    kept["deepspeed_config." + _FILE] = _FILE
    return _sections(_in_table_order(kept))


def _in_table_order(values: Mapping[str, Any]) -> dict[str, Any]:
    order = [row.key for row in load_table("deepspeed-inline")]
    inline = sorted((key for key in values if key in order), key=order.index)
    return {**{key: value for key, value in values.items() if key not in order}, **{key: values[key] for key in inline}}


def _mixed_precision(plan: TrainingPlan) -> dict[str, Any]:
    compute = plan.precision.compute.value
    if compute is Decided.BY_COMMAND_LINE:
        return {}
    trained_in = (
        compute if compute in ("bf16", "fp16", "fp8") and plan.precision.master_weights.value == "fp32" else "no"
    )
    return {"mixed_precision": trained_in}


def _inline(json: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The inline spelling of JSON keys, and the JSON keys that have none."""
    rows = {row.json: row for row in load_table("deepspeed-inline") if row.json is not None}
    inline: dict[str, Any] = {}
    left = []
    for key, value in json.items():
        row = rows.get(key)
        if key in _PRECISION or (key == "fp16.auto_cast" and json.get("fp16.enabled") is True):
            if value == "auto":
                left.append(key)
        elif row is None or value == "nvme":
            if not (key in _INLINE_AUTO and value == "auto"):
                left.append(key)
        elif value != "auto":
            inline[row.key] = _inline_value(key, value)
    return inline, tuple(left)


def _inline_value(key: str, value: Any) -> Any:
    if key == CLIPPING and value == 0:
        return math.inf  # 0 is falsy and leaves DeepSpeed's own default of 1.0 (accelerate/utils/dataclasses.py:1321)
    return value
