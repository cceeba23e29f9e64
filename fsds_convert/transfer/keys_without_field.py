"""Keys of the source engine that the plan has no word for: their rows say what is lost elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fsds_convert.engines.fields import Engine
from fsds_convert.engines.modules import MODULES, tables_of
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.setting import Setting, same
from fsds_convert.tables.row import Row
from fsds_convert.tables.versions import Versions
from fsds_convert.transfer.note import Note, carried
from fsds_convert.transfer.rows import Fidelity

_FAMILY = {"fsdp1": "fsdp", "fsdp2": "fsdp", "ddp": "fsdp", "deepspeed": "deepspeed"}
_CODE = "FSDS9E0"


def keys_without_field(
    plan: TrainingPlan, source: Engine, target: Engine
) -> tuple[Mapping[str, Setting[Any]], tuple[Note, ...]]:
    """The keys that the target reads as well, and a note on the others and on what acts otherwise there."""
    kept: dict[str, Setting[Any]] = {}
    notes: list[Note] = []
    shared = set(MODULES[source].TABLES) & set(MODULES[target].TABLES)
    for key, setting in plan.engine_only.items():
        row = _row(source, key)
        if row is None or row.removed is not None or row.type in ("dead", "refused", "section"):
            continue
        told = _note(row, key, setting, target, at_default=row.table not in shared)
        if row.table in shared and (not row.engines or target in row.engines):
            kept[key] = setting
            told = replace(told, after=setting.value) if told and _FAMILY[source] != _FAMILY[target] else None
        notes.extend([told] if told else [])
    return kept, tuple(notes)


def carried_keys(plan: TrainingPlan, engine: Engine, versions: Versions) -> tuple[Note, ...]:
    """Within one engine all keys are kept, but for those that upstream has removed."""
    notes = []
    for key, setting in plan.engine_only.items():
        row = _row(engine, key)
        if row is not None and (row.type == "refused" or (row.removed is not None and row.removed.reached(versions))):
            reason = f"removed in {row.removed.text}" if row.removed else "upstream raises an error when it is there"
            told = ("removed-key", "none", reason)
            notes.append(Note(key, Fidelity.DROPPED, setting, setting.value, None, "FSDS9E2", *told))
        else:
            notes.append(carried(key, setting))
    return tuple(notes)


def _row(engine: Engine, key: str) -> Row | None:
    for table in tables_of(engine):
        if (row := table.row(key, engine)) is not None:
            return row
    return None


def _note(row: Row, key: str, setting: Setting[Any], target: Engine, *, at_default: bool) -> Note | None:
    """What is lost; with `at_default` also that a written default is nothing to lose."""
    elsewhere = row.elsewhere.get(_FAMILY[target])
    if elsewhere is None:
        return None
    fidelity, effect, reason = Fidelity(elsewhere.fidelity), elsewhere.effect, elsewhere.note
    harmless = any(same(candidate.value, setting.value) for candidate in row.defaults)
    if harmless and not at_default:
        return None
    if harmless and fidelity.rank > Fidelity.AUTOMATIC.rank:
        fidelity, effect, reason = Fidelity.AUTOMATIC, "none", "this is the default, and has no counterpart"
    name = "key-without-counterpart"
    return Note(key, fidelity, setting, setting.value, None, _CODE, name, effect, reason)
