"""The other keys beside a key: what it needs to be in force, and what keeps it from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsds_convert.settings.coerce import coerce
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Ignored, Row
from fsds_convert.tables.versions import Versions

from .cases import about
from .spellings import spelled


def needed(row: Row, engine: str, *, in_force: bool = True) -> dict[str, Any]:
    """The keys that `needs` in cases.yaml puts beside a key; later entries go over earlier ones."""
    found: dict[str, Any] = {}
    for entry in about("needs", row):
        if engine in entry.get("engines", (engine,)) and (in_force or not entry.get("in_force_only")):
            found |= entry["with"]
    return found


def in_force(row: Row, engine: str) -> dict[str, Any]:
    """Keys with which no condition of the row's `ignored` holds."""
    found = needed(row, engine)
    for ignored in row.ignored:
        for key, allowed in _conditions(row, ignored, engine):
            other = _another(row, key, allowed, engine)
            if found.get(key, _default(row, key, engine)) in allowed and other is not None:
                found[key] = other
                break
    return found


def not_in_force(row: Row, engine: str) -> Iterator[dict[str, Any]]:
    """For each condition of the row's `ignored`, keys with which it holds; null stands for no key."""
    for ignored in row.ignored:
        conditions = {key: allowed[0] for key, allowed in _conditions(row, ignored, engine)}
        if conditions:
            beside = {**needed(row, engine, in_force=False), **conditions}
            yield {key: value for key, value in beside.items() if value is not None}


def _conditions(row: Row, ignored: Ignored, engine: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    condition = ignored.condition
    if not condition.engines or engine in condition.engines:
        # the distributed type goes with the engine
        yield from ((k, allowed) for k, allowed in condition.when.items() if k not in (row.key, "distributed_type"))


def _beside(row: Row, key: str, engine: str) -> Row:
    name = "deepspeed-json" if row.table.startswith("deepspeed-json") else row.table
    other = load_table(name).row(key, engine)
    assert other is not None, f"{row.key}: no row for {key}, which a condition names"
    return other


def _default(row: Row, key: str, engine: str) -> Any:
    return _beside(row, key, engine).default_for(engine, Versions())


def _another(row: Row, key: str, allowed: tuple[Any, ...], engine: str) -> Any:
    other = _beside(row, key, engine)
    return next((value for value in spelled(other) if coerce(other, value).value not in allowed), None)
