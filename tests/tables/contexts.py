"""The other keys beside a key: what it needs to be in force, and what keeps it from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from fsds_convert.settings.coerce import coerce
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Ignored, Row
from fsds_convert.tables.table import Table

from .files import Keys
from .spellings import spelled

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parent / "cases.yaml").read_text(encoding="utf-8")
)


def needed(row: Row, engine: str, *, of_the_table: bool = False) -> dict[str, Any]:
    """The keys that `needs` in cases.yaml puts beside a key, or beside every key of its table; later over earlier."""
    found: dict[str, Any] = {}
    for entry in CASES["needs"]:
        if of_the_table and "keys" in entry:
            continue
        if concerns(entry, row) and engine in entry.get("engines", (engine,)):
            found |= entry["with"]
    return found


def concerns(entry: dict[str, Any], row: Row) -> bool:
    """Whether an entry of cases.yaml is about a row: by its key, a key above it, or the whole table."""
    section = load_table(entry["table"]).section
    keys = [f"{section}.{key}" if section else key for key in entry.get("keys", ())]
    whole = not keys and entry["table"] == row.table
    return whole or row.key in keys or any(row.key.startswith(f"{key}.") for key in keys)


def in_force(row: Row, engine: str) -> dict[str, Any]:
    """Keys with which no condition of the row's `ignored` holds."""
    found = needed(row, engine)
    for ignored in row.ignored:
        for key, allowed in _conditions(row, ignored, engine):
            if found.get(key) in allowed or key not in found:
                other = _another(row, key, allowed, engine)
                if other is not None:
                    found[key] = other
                    break
    return found


def not_in_force(row: Row, engine: str) -> Iterator[dict[str, Any]]:
    """For each condition of the row's `ignored`, keys with which it holds."""
    for ignored in row.ignored:
        conditions = list(_conditions(row, ignored, engine))
        if conditions:
            yield {**needed(row, engine, of_the_table=True), **{key: allowed[0] for key, allowed in conditions}}


def _conditions(row: Row, ignored: Ignored, engine: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    condition = ignored.condition
    if not condition.engines or engine in condition.engines:
        yield from ((key, allowed) for key, allowed in condition.when.items() if key != row.key)


def _another(row: Row, key: str, allowed: tuple[Any, ...], engine: str) -> Any:
    other = _row(row.table, key, engine)
    if other is None:
        return None
    return next((value for value in spelled(other) if coerce(other, value).value not in allowed), None)


def _row(table: str, key: str, engine: str) -> Row | None:
    tables: list[Table] = [load_table(table)]
    if table == "deepspeed-json-other":
        tables.append(load_table("deepspeed-json"))
    return next((row for found in tables if (row := found.row(key, engine)) is not None), None)


def merged(beside: Keys, row: Row, value: Any) -> dict[str, Any]:
    """The keys of a file with the key itself last."""
    return {**beside, row.key: value}
