"""--precision-mode: another mode of precision than the file runs, on purpose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsds_convert.engines.fields import Engine
from fsds_convert.errors import FsdsError
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Setting
from fsds_convert.transfer.adapt import Adapted
from fsds_convert.transfer.note import Note, noted
from fsds_convert.transfer.options import PrecisionMode
from fsds_convert.transfer.precision import has_low_master_weights
from fsds_convert.transfer.rows import Fidelity, transfer

_FIELDS = ("precision.compute", "precision.master_weights", "precision.optimizer_states")
_LOW = ("bf16", "fp16")


def in_mode(plan: TrainingPlan, mode: PrecisionMode | None, context: Context) -> TrainingPlan:
    """The plan in the mode that was asked for; the same plan where it runs in it already."""
    if mode is None:
        return plan
    compute = plan.precision.compute.value
    low = next((dtype for dtype in (compute, context.model_dtype) if dtype in _LOW), "bf16")
    if mode == "memory-constrained":
        wanted: tuple[Any, Any, Any] = (low, low, low)
    else:
        wanted = ("fp8" if compute == "fp8" else low, "fp32", "fp32")
    if tuple(plan.get(path).value for path in _FIELDS) == wanted:
        return plan
    changes = {path: _said(plan.get(path), value) for path, value in zip(_FIELDS, wanted, strict=True)}
    return plan.with_fields({**changes, "precision.autocast": _said(plan.precision.autocast, None)})


def require_mode(plan: TrainingPlan, engine: Engine, context: Context) -> None:
    """Raises FsdsError for 16-bit master weights that DeepSpeed refuses in this plan."""
    low = plan.precision.master_weights.value in _LOW
    values = {path: setting.value for path, setting in plan.items()}
    if engine == "deepspeed" and low and not has_low_master_weights(values, context):
        raise FsdsError(
            "DeepSpeed has no memory-constrained mode at stage 0, with optimizer offload, or before 0.18.3",
            "choose a stage from 1 on without offload_optimizer, or --precision-mode mixed-precision",
        )


def with_mode_noted(adapted: Adapted, before: TrainingPlan, engine: Engine, context: Context) -> Adapted:
    """The notes of a conversion that says which fields were changed on purpose."""
    low = adapted.plan.precision.master_weights.value
    script = ""
    if engine != "deepspeed" and low in _LOW and low != context.model_dtype:  # FSDP takes it from the loaded model
        script = transfer("load-the-model-in-bf16").script[context.consumer]
    return replace(adapted, notes=tuple(_noted(note, before, context.consumer, script) for note in adapted.notes))


def _noted(note: Note, before: TrainingPlan, consumer: str, script: str) -> Note:
    if note.field not in _FIELDS or note.fidelity is Fidelity.REFUSED:
        return note
    setting = before.get(note.field)
    told = noted(transfer("precision-mode-chosen"), setting, consumer, note.after)
    return replace(told, field=note.field, before=setting.value, script=note.script or script)


def _said(setting: Setting[Any], value: Any) -> Setting[Any]:
    return replace(setting.lift(value, value), note="")
