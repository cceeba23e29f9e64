"""What all engines share: rows lift settings into plan fields, and spell plan fields as settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Literal

from fsds_convert.settings.setting import Decided, Setting, Settings, default
from fsds_convert.tables.load import load_document
from fsds_convert.tables.row import Row, Since
from fsds_convert.tables.table import Table
from fsds_convert.tables.versions import Versions

Engine = Literal["fsdp1", "fsdp2", "deepspeed", "ddp"]
ENGINES: tuple[Engine, ...] = ("fsdp1", "fsdp2", "deepspeed", "ddp")

_DECIDED = {decided.name.lower(): decided for decided in Decided}


def plan_value(raw: Any) -> Any:
    """A value of a table as the plan holds it: `by_script` and its like are members of Decided."""
    if isinstance(raw, str):
        return _DECIDED.get(raw, raw)
    return tuple(raw) if isinstance(raw, list) else raw


@cache
def fixed(engine: Engine) -> dict[str, Setting[Any]]:
    """The plan fields that no key of the engine decides, or none that is written, from `mappings/engines.yaml`."""
    return _fixed("every") | _fixed(engine)


@cache
def _fixed(name: str) -> dict[str, Setting[Any]]:
    rows = load_document("engines")["engines"][name]
    return {path: default(plan_value(row["value"]), row["note"]) for path, row in rows.items()}


def missing_release(engine: Engine, versions: Versions) -> str | None:
    """The release that an engine needs and that the versions in force do not reach, as `torch 2.6.0`."""
    needed = map(Since.parse, load_document("engines")["requires"].get(engine, ()))
    return next((since.text for since in needed if not since.reached(versions)), None)


def acts(row: Row, engine: Engine) -> bool:
    """Whether the engine reads the key."""
    return not row.engines or engine in row.engines


def word(row: Row, value: Any) -> Any:
    """A spelled value -> the plan's word for it."""
    if isinstance(value, (list, tuple)):
        return tuple(value)
    return value if isinstance(value, dict) else plan_value(row.values.get(value, value))


def lift(engine: Engine, tables: Iterable[Table], settings: Settings) -> dict[str, Setting[Any]]:
    """Every plan field that a row names, from the settings read by that row.

    What the engine decides by itself gives way to a written key only; a null stands for it.
    """
    found: dict[str, Setting[Any]] = {}
    by_itself = _fixed(engine)
    for table in tables:
        for row in table:
            if row.field is None or row.key not in settings or not acts(row, engine):
                continue
            setting = settings[row.key]
            if row.field in by_itself and (setting.idle or not setting.is_written):
                continue
            if row.field not in found or (setting.is_written and not found[row.field].is_written):
                found[row.field] = setting.lift(
                    _or_fixed(engine, row, setting.value), _or_fixed(engine, row, setting.intent)
                )
    return found


def _or_fixed(engine: Engine, row: Row, value: Any) -> Any:
    meaning = word(row, value)
    return fixed(engine)[row.field].value if meaning is None and row.field in fixed(engine) else meaning


def without_field(tables: Iterable[Table], settings: Settings) -> dict[str, Setting[Any]]:
    """The written settings that have no plan field."""
    with_field = {row.key for table in tables for row in table if row.field is not None}
    return {
        key: setting
        for key, setting in settings.items()
        if setting.is_written and key not in with_field and key.rpartition(".")[0] not in with_field
    }


def spell(row: Row, value: Any) -> Any:
    """The plan's word -> the way the dialect writes it: the first spelling in the table."""
    if isinstance(value, (list, tuple, dict)):
        return value
    for spelling, meaning in row.values.items():
        if meaning == value and isinstance(meaning, bool) == isinstance(value, bool):
            return spelling
    return value


def derived(values: Mapping[str, Setting[Any]], path: str, value: Any, intent: Any, note: str = "") -> Setting[Any]:
    """The setting of a field with another meaning, from the same origin."""
    return values[path].lift(value, intent, note)
