"""What a DeepSpeed config cannot hold: topology, sequence parallelism and fp8 in a JSON, sizes that do not fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsds_convert.engines.deepspeed import batch_sizes
from fsds_convert.engines.fields import fixed
from fsds_convert.plan.training_plan import FIELDS, TrainingPlan
from fsds_convert.settings.setting import Decided, Setting, default, same
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import NO_DEFAULT
from fsds_convert.tables.versions import Versions
from fsds_convert.transfer.adapt import Adapted
from fsds_convert.transfer.note import Note, noted
from fsds_convert.transfer.rows import transfer

_ROWS = {
    "topology": "topology-is-not-in-the-json",
    "parallelism": "parallelism-is-not-in-the-json",
    "fp8": "fp8-is-not-in-the-json",
    "compile": "compile-is-not-in-the-json",
}
_LAUNCH = "launch-setting-is-not-in-the-json"
_HELD = "parallelism.tensor"  # tensor_parallel.autotp_size


def json_alone(adapted: Adapted, consumer: str) -> Adapted:
    """A plan for a DeepSpeed JSON without an Accelerate file: the launch settings stay behind."""
    told: dict[str, Note] = {}
    for path, setting in adapted.plan.items():
        row, nothing = _ROWS.get(path.partition(".")[0]), fixed("deepspeed").get(path)
        if row is None or nothing is None or path == _HELD or same(setting.value, nothing.value):
            continue
        if path.startswith("topology.") and not setting.is_written:
            row = "launcher-default-left-out"
        told[path] = _note(row, path, setting, consumer, nothing.value)
    kept = load_table("deepspeed-json").by_key
    notes = tuple(
        note if note.field in FIELDS or note.field in kept else _note(_LAUNCH, note.field, note.setting, consumer, None)
        for note in adapted.notes
    )
    return _with(without_fp8(replace(adapted, notes=notes), consumer), told)


def launched(plan: TrainingPlan, consumer: str) -> tuple[TrainingPlan, dict[str, Note]]:
    """A plan from a DeepSpeed JSON, with the launcher's defaults for what an Accelerate file may leave out."""
    told: dict[str, Note] = {}
    for row in load_table("accelerate"):
        value, path = row.default_for("deepspeed", Versions()), row.field or ""
        if path.startswith("topology.") and value is not NO_DEFAULT and not plan.get(path).key:
            told[path] = _note("launcher-default", path, plan.get(path), consumer, value)
    return plan.with_fields(
        {path: default(note.after, "default of accelerate launch") for path, note in told.items()}
    ), told


def with_consistent_batch(adapted: Adapted, consumer: str) -> Adapted:
    """A plan whose train_batch_size follows from the other sizes: DeepSpeed refuses another one."""
    sizes = batch_sizes(adapted.plan)
    if sizes is None or sizes.consistent:
        return adapted
    path = "batch.train_batch_size"
    note = _note("train-batch-size-does-not-fit", path, adapted.plan.get(path), consumer, Decided.BY_SCRIPT)
    return _with(adapted, {path: note})


def without_fp8(adapted: Adapted, consumer: str) -> Adapted:
    """A plan for a DeepSpeed JSON, next to which Accelerate refuses mixed_precision."""
    path, compute = "precision.compute", adapted.plan.precision.compute
    if compute.value != "fp8":
        return adapted
    return _with(adapted, {path: _note("fp8-is-not-in-the-json", path, compute, consumer, "bf16")})


def _note(name: str, path: str, setting: Setting[Any], consumer: str, after: Any) -> Note:
    return replace(noted(transfer(name), setting, consumer, after), field=path)


def _with(adapted: Adapted, told: dict[str, Note]) -> Adapted:
    changes = {path: adapted.plan.get(path).lift(note.after, note.after) for path, note in told.items()}
    notes = tuple(_worse(note, told.get(note.field)) for note in adapted.notes)
    return replace(adapted, plan=adapted.plan.with_fields(changes), notes=notes)


def _worse(note: Note, other: Note | None) -> Note:
    """The less faithful of two notes on a field, from the first value to the last."""
    if other is None:
        return note
    worse = other if other.fidelity.rank >= note.fidelity.rank else note
    return replace(worse, before=note.before, after=other.after)
