"""Source file -> plan -> target plan -> target file."""

from __future__ import annotations

from dataclasses import replace

from fsds_convert.containers.new_text import json_text
from fsds_convert.containers.reading import Reading
from fsds_convert.convert.compose import Composed, compose, compose_with_file
from fsds_convert.convert.conversion import Conversion, Output
from fsds_convert.convert.key_names import written_for
from fsds_convert.convert.target import Target
from fsds_convert.convert.write import main_text
from fsds_convert.diagnostics import Severity
from fsds_convert.engines.fields import Engine, missing_release
from fsds_convert.errors import FsdsError
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.context import Context
from fsds_convert.syntax.source import Source
from fsds_convert.tables.load import load_table
from fsds_convert.transfer.adapt import Adapted, adapt, doubted
from fsds_convert.transfer.json_alone import json_alone, launched, with_consistent_batch, without_fp8
from fsds_convert.transfer.note import Note
from fsds_convert.transfer.options import Options
from fsds_convert.transfer.precision_mode import in_mode, require_mode, with_mode_noted
from fsds_convert.transfer.rows import Fidelity

COMMENTS_LOST = (
    "the file was written anew, without its comments: its shape (a flow mapping, a merge key) allows no edit"
)
JSON_NAME = "deepspeed_config.json"
_TOO_SMALL = "inline-form-too-small"


def convert(
    reading: Reading, target: Target, context: Context, options: Options, json_name: str = JSON_NAME
) -> Conversion:
    """Converts a file that was read. `json_name` is the path that the Accelerate file gives to a DeepSpeed JSON.

    Raises InputError when the file names a DeepSpeed JSON that cannot be read: nothing is known of its settings then.
    Raises FsdsError when the releases in force do not have the target.
    """
    reading.require_deepspeed_file()
    if context.consumer == "deepspeed":
        context = replace(context, consumer="accelerate")  # what is written is launched by Accelerate
    before = reading.runs if options.as_executed else reading.intent
    plan = in_mode(before, options.precision_mode, context)
    changed = plan is not before
    engine = _engine(plan, reading, target)
    missing = missing_release(engine, context.versions)
    if missing is not None:
        raise FsdsError(f"{target.name} needs {missing}", "upgrade, convert --to fsdp1, or say which release it is for")
    filled: dict[str, Note] = {}
    if reading.container == "deepspeed-json" and target.container == "accelerate":
        plan, filled = launched(plan, context.consumer)
    if changed and reading.engine == engine:
        require_mode(plan, engine, context)
    adapted = adapt(plan, reading.engine, engine, context, options)
    adapted = replace(adapted, notes=tuple(filled.get(note.field, note) for note in adapted.notes))
    composed: Composed | None = None
    if engine == "deepspeed":
        if target.container == "deepspeed-json" and reading.container == "accelerate":
            adapted = json_alone(adapted, context.consumer)
        if not (reading.engine == "deepspeed" and reading.container == target.container):
            adapted = with_consistent_batch(adapted, context.consumer)
        composed = _deepspeed(adapted.plan, reading, target, context, options)
        if composed.json is not None:
            adapted = without_fp8(adapted, context.consumer)
        if composed.why_json and options.deepspeed_json == "never":
            adapted = _not_inline(adapted, composed.why_json)
    if reading.engine == engine and _respelled(reading, target, composed):
        adapted = replace(adapted, notes=tuple(doubted(note, context.consumer) for note in adapted.notes))
    if changed:
        adapted = with_mode_noted(adapted, before, engine, context)
    refused = any(note.fidelity is Fidelity.REFUSED for note in adapted.notes)
    composed = composed or compose(engine, adapted.plan, context)
    outputs: tuple[Output, ...] = ()
    if not refused or options.allow_lossy:
        outputs = _outputs(reading, target, engine, composed, json_name, exact_fields(adapted.notes), changed)
    return Conversion(
        reading,
        target,
        engine,
        adapted,
        outputs,
        reading.findings,
        written_for(engine, composed),
        (*adapted.advice, *(COMMENTS_LOST for output in outputs if output.comments_lost)),
    )


def _respelled(reading: Reading, target: Target, composed: Composed | None) -> bool:
    """Whether the settings of one engine go from one spelling to another."""
    inline = composed is not None and composed.json is None
    named = reading.container == "deepspeed-json" or reading.deepspeed_path is not None
    return reading.container != target.container or (composed is not None and inline == named)


def exact_fields(notes: tuple[Note, ...]) -> frozenset[str]:
    """The fields that keep their value, and so the comments beside them."""
    return frozenset(note.field for note in notes if note.fidelity is Fidelity.EXACT)


def _engine(plan: TrainingPlan, reading: Reading, target: Target) -> Engine:
    """Plain data parallelism stays plain: FSDP2 cannot replicate."""
    replicated = plan.sharding.strategy.value == "replicate"
    return "ddp" if target.engine == "fsdp2" and replicated and reading.engine != "ddp" else target.engine


def _deepspeed(plan: TrainingPlan, reading: Reading, target: Target, context: Context, options: Options) -> Composed:
    """Inline where all fits; a file that names a JSON already goes on doing so."""
    named = reading.deepspeed_path is not None and options.deepspeed_json == "auto"
    if target.container == "deepspeed-json" or options.deepspeed_json == "always" or named:
        return compose_with_file(plan, context)
    return compose("deepspeed", plan, context, inline_only=options.deepspeed_json == "never")


def _not_inline(adapted: Adapted, keys: tuple[str, ...]) -> Adapted:
    """--deepspeed-json never: what does not fit inline is refused."""
    reason = "Accelerate's inline form has no such key, and --deepspeed-json never forbids the file that has"
    table = load_table("deepspeed-json")
    rows = {key: table.row(key, "deepspeed") for key in keys}
    lost = {row.field if row and row.field else key for key, row in rows.items()}
    notes = tuple(
        Note(note.field, Fidelity.REFUSED, note.setting, note.before, None, "FSDS9E1", _TOO_SMALL, "none", reason)
        if note.field in lost
        else note
        for note in adapted.notes
    )
    return replace(adapted, notes=notes)


def _outputs(
    reading: Reading,
    target: Target,
    engine: Engine,
    composed: Composed,
    json_name: str,
    exact: frozenset[str],
    changed: bool,
) -> tuple[Output, ...]:
    kept = None if changed else _kept_json(reading, target)
    if target.container == "deepspeed-json":
        return (Output("main", kept.text if kept else json_text(composed.json or {}, _like(reading))),)
    if kept is not None:
        json_name = reading.deepspeed_path or kept.name
    written = main_text(reading, engine, composed, json_name, exact, changed=changed)
    main = Output("main", written.text, written.comments_lost)
    if composed.json is None or kept is not None:
        return (main,)
    return main, Output("deepspeed-json", json_text(composed.json, _like(reading)))


def _kept_json(reading: Reading, target: Target) -> Source | None:
    """The DeepSpeed JSON that goes on being used as it is: one that launches, or one that is not to change at all."""
    alone = reading.container == "deepspeed-json"
    existing = reading.source if alone else reading.deepspeed_file
    if existing is None or (alone and target.container == "deepspeed-json"):
        return existing
    broken = any(found.severity is Severity.ERROR and found.place.name == existing.name for found in reading.findings)
    return None if broken or (alone and existing.path is None) else existing


def _like(reading: Reading) -> str:
    """The JSON whose indentation a new one takes over."""
    return reading.deepspeed_file.text if reading.deepspeed_file else reading.source.text
