"""Source file -> plan -> target plan -> target file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsds_convert.containers.new_text import json_text
from fsds_convert.containers.reading import Reading
from fsds_convert.convert.compose import Composed, compose, compose_with_file
from fsds_convert.convert.conversion import Conversion, Output
from fsds_convert.convert.key_names import written_for
from fsds_convert.convert.target import Target
from fsds_convert.convert.write import main_text
from fsds_convert.engines.fields import Engine
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.context import Context
from fsds_convert.transfer.adapt import Adapted, adapt
from fsds_convert.transfer.note import Note
from fsds_convert.transfer.options import Options
from fsds_convert.transfer.rows import Fidelity

JSON_NAME = "deepspeed_config.json"


def convert(
    reading: Reading, target: Target, context: Context, options: Options, json_name: str = JSON_NAME
) -> Conversion:
    """Converts a file that was read. `json_name` is the path that the Accelerate file gives to a DeepSpeed JSON."""
    plan = reading.runs if options.as_executed else reading.intent
    engine = _engine(plan, reading, target)
    adapted = adapt(plan, reading.engine, engine, context, options)
    composed: Composed | None = None
    if engine == "deepspeed":
        composed = _deepspeed(adapted.plan, target, context, options)
        if composed.why_json and options.deepspeed_json == "never":
            adapted = _not_inline(adapted, composed.why_json)
    refused = any(note.fidelity is Fidelity.REFUSED for note in adapted.notes)
    outputs: tuple[Output, ...] = ()
    if not refused or options.allow_lossy:
        composed = composed or compose(engine, adapted.plan, context)
        outputs = _outputs(reading, target, engine, composed, options, json_name)
    return Conversion(
        reading,
        target,
        engine,
        adapted,
        outputs,
        reading.findings,
        written_for(engine, composed if outputs else None),
        adapted.advice,
    )


def _engine(plan: TrainingPlan, reading: Reading, target: Target) -> Engine:
    """Plain data parallelism stays plain: FSDP2 cannot replicate."""
    replicated = plan.sharding.strategy.value == "replicate"
    return "ddp" if target.engine == "fsdp2" and replicated and reading.engine != "ddp" else target.engine


def _deepspeed(plan: TrainingPlan, target: Target, context: Context, options: Options) -> Composed:
    if target.container == "deepspeed-json" or options.deepspeed_json == "always":
        return compose_with_file(plan, context)
    return compose("deepspeed", plan, context)


def _not_inline(adapted: Adapted, keys: tuple[str, ...]) -> Adapted:
    """--deepspeed-json never: what does not fit inline is refused."""
    reason = "Accelerate's inline form has no such key, and --deepspeed-json never forbids the file that has"
    by_key = {note.field: note for note in adapted.notes}
    extra = []
    for key in keys:
        setting = adapted.plan.engine_only.get(key) or by_key["sharding.strategy"].setting
        extra.append(
            Note(
                key, Fidelity.REFUSED, setting, setting.value, None, "FSDS9E1", "inline-form-too-small", "none", reason
            )
        )
    return replace(adapted, notes=(*adapted.notes, *extra))


def _outputs(
    reading: Reading, target: Target, engine: Engine, composed: Composed, options: Options, json_name: str
) -> tuple[Output, ...]:
    if target.container == "deepspeed-json":
        return (Output("main", _json_text(reading, composed.json)),)
    with_file = composed.json is not None and options.deepspeed_json != "never"
    main = Output("main", main_text(reading, target, engine, composed, json_name))
    return (main, Output("deepspeed-json", _json_text(reading, composed.json))) if with_file else (main,)


def _json_text(reading: Reading, data: Any) -> str:
    """A JSON that already exists is written as it is when nothing in it changes."""
    existing = reading.source if reading.container == "deepspeed-json" else reading.deepspeed_file
    if existing is not None:
        return existing.text if existing.data == data else json_text(data, existing.text)
    return json_text(data)
