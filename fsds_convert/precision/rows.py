"""The dtype of every stage of a training step, from a file that was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fsds_convert.containers.reading import Reading
from fsds_convert.engines.deepspeed_precision import mode_of
from fsds_convert.engines.stages import Asked, asked
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided
from fsds_convert.settings.show import show

STAGES = (
    *("loaded", "prepared", "master_weights", "compute", "gradients", "reduction", "accumulation", "optimizer_states"),
    *("buffers", "output", "frozen", "saved", "loss_scaler", "clipping", "autocast"),
)
_WORDS = {"as_loaded": "as loaded"}


@dataclass(frozen=True)
class PrecisionRow:
    """One stage: a dtype, `none`, `dynamic`, a number, or who decides it; why; and the upstream line that says so."""

    stage: str
    value: str
    why: str
    source: str


def precision_of(reading: Reading, context: Context) -> tuple[PrecisionRow, ...]:
    """One row a stage, in the order of STAGES, for a model loaded in `context.model_dtype`."""
    question = question_of(reading, context)
    return tuple(_row(question, stage) for stage in STAGES)


def question_of(reading: Reading, context: Context) -> Asked:
    """What the table is asked with: every effective setting, every plan field, and what follows from several."""
    settings = {key: setting.value for key, setting in reading.settings.items()}
    plan = {path: _word(setting.value) for path, setting in reading.runs.items()}
    sequence = reading.runs.parallelism.sequence.value
    more = {
        "clipping_is_written": reading.runs.clipping.max_norm.is_written,
        "sequence_parallel": isinstance(sequence, int) and sequence > 1,
    }
    return asked(reading.engine, context, mode(reading, context), settings | plan | more)


def mode(reading: Reading, context: Context) -> str:
    """The mixed precision in force: no, bf16, fp16, fp8, or auto where it is said elsewhere."""
    if reading.engine == "deepspeed":
        return mode_of(reading.settings, context, intent=False)
    return str(reading.settings["mixed_precision"].value)


def mode_name(values: Mapping[str, str]) -> str:
    """What the run is called by the dtypes of its stages; empty where it has no name, or hangs on --model-dtype."""
    compute, master, states = values["compute"], values["master_weights"], values["optimizer_states"]
    if master == states == "fp32":
        return {"fp32": "full-precision"}.get(compute, "mixed-precision" if compute in _LOW else "")
    return "memory-constrained" if compute == master == states and compute in _LOW else ""


_LOW = ("bf16", "fp16", "fp8")


def by_stage(rows: tuple[PrecisionRow, ...]) -> dict[str, str]:
    """The value of each stage."""
    return {row.stage: row.value for row in rows}


def _row(question: Asked, stage: str) -> PrecisionRow:
    alternative = question.alternative(stage)
    value = question.value(stage)
    return PrecisionRow(stage, _shown(value), alternative.why, alternative.source)


def _word(value: Any) -> Any:
    """A decision as the tables write it."""
    return value.name.lower() if isinstance(value, Decided) else value


_DECIDED = {decided.name.lower(): decided.value for decided in Decided if decided is not Decided.AS_LOADED}


def _shown(value: Any) -> str:
    if isinstance(value, Decided):
        return value.value
    if value is None:
        return "none"
    text = value if isinstance(value, str) else show(value)
    return _WORDS.get(text) or _DECIDED.get(text, text)
