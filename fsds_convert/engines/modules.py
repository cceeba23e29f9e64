"""The module of each engine."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from fsds_convert.engines import ddp, deepspeed, fsdp1, fsdp2
from fsds_convert.engines.fields import Engine, acts, spell, without_field
from fsds_convert.plan.training_plan import TrainingPlan, plan_of
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided, Setting, Settings
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Row
from fsds_convert.tables.table import Table

MODULES: Mapping[Engine, ModuleType] = {"fsdp1": fsdp1, "fsdp2": fsdp2, "deepspeed": deepspeed, "ddp": ddp}

# one or several keys say all of these at once: the engine's own settings_of spells them
_SPELLED_TOGETHER = (
    *("precision.compute", "precision.master_weights", "precision.optimizer_states", "precision.autocast"),
)


def tables_of(engine: Engine) -> tuple[Table, ...]:
    """The tables whose keys the engine reads."""
    return tuple(load_table(name) for name in MODULES[engine].TABLES)


def training_plan(engine: Engine, settings: Settings, context: Context) -> TrainingPlan:
    """The plan of an engine's effective settings."""
    fields: dict[str, Setting[Any]] = MODULES[engine].fields(settings, context)
    return plan_of(fields, without_field(tables_of(engine), settings))


def settings_of(engine: Engine, plan: TrainingPlan, context: Context) -> dict[str, Any]:
    """The keys to write for a plan, in the order of the tables; a default is repeated only where it was written."""
    values: dict[str, Any] = {}
    kept = set(plan.engine_only)
    for path, setting in plan.items():
        if path in _SPELLED_TOGETHER:
            continue
        for table in tables_of(engine):
            row = table.for_field(path, engine)
            if row is None or row.json is not None or setting.value is None or isinstance(setting.value, Decided):
                continue
            values[row.key] = spell(row, setting.value)
            if setting.is_written and not setting.note:
                kept.add(row.key)
    values |= {key: setting.intent for key, setting in plan.engine_only.items()}
    values = MODULES[engine].settings_of(plan, values)
    ordered: dict[str, Any] = {}
    for table in tables_of(engine):
        for row in table:
            gone = row.removed is not None and row.removed.reached(context.versions)
            if row.key not in values or row.type in ("dead", "refused") or gone or not acts(row, engine):
                continue
            if row.key in kept or _worth_writing(row, values[row.key], engine, context):
                ordered[row.key] = values[row.key]
    return ordered


def _worth_writing(row: Row, value: Any, engine: Engine, context: Context) -> bool:
    return row.write == "always" or value != row.default_for(engine, context.versions)
