"""Older and second spellings of a key stand for the key itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsds_convert.settings.setting import Setting
from fsds_convert.tables.row import NO_DEFAULT, Row
from fsds_convert.tables.table import Table
from fsds_convert.tables.versions import Versions


def rename(table: Table, settings: dict[str, Setting[Any]], engine: str, versions: Versions) -> None:
    """Moves each setting to the key that replaced its own, unless that is written too.

    A spelling that was removed, is refused, or is never read, says only what was meant.
    """
    for row in table:
        old = settings.get(row.key)
        if old is None or row.replaced_by is None or row.type == "dead":
            continue
        target = replacement(table, row)
        if target is None or target.key in settings or not (target.type == row.type or target.field == row.field):
            continue
        moved = old.lift(respelled(row, target, old.value), respelled(row, target, old.intent))
        if row.type == "refused" or ((row.removed is not None or row.never_read is not None) and old.note):
            default = target.default_for(engine, versions)
            value = None if default is NO_DEFAULT else default
            moved = replace(moved, value=value, intent=value if moved.intent is None else moved.intent)
        settings[target.key] = moved
        del settings[row.key]


def replacement(table: Table, row: Row) -> Row | None:
    """The row of the key that replaced an old spelling."""
    parent = row.key.rpartition(".")[0]
    names = (row.replaced_by or "", f"{parent}.{row.replaced_by}")
    return next((found[0] for name in names if (found := table.by_key.get(name))), None)


def respelled(row: Row, target: Row, value: Any) -> Any:
    """`cpu_offload: true` -> `device: cpu`: by way of the plan's word, where the two spell differently."""
    if target.type == row.type or value is None or isinstance(value, (list, dict)):
        return value
    word = row.values.get(value, value)
    return next((spelling for spelling, meaning in target.values.items() if meaning == word), word)
