"""What runs in the place of a key that is not written."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from fsds_convert.settings.setting import Origin, Setting, Settings
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import CONSUMERS, NO_DEFAULT, Row
from fsds_convert.tables.table import Table
from fsds_convert.tables.versions import Versions

_BY = {
    "launcher": "accelerate launch",
    "plugin": "Accelerate's plugin",
    "trainer": "the Trainer",
    "library": "DeepSpeed",
}
_NEVER = ("section", "dead", "refused")


def default_of(row: Row, engine: str, versions: Versions, consumer: str, settings: Settings) -> Setting[Any] | None:
    """The default of a key next to the other settings of its table; None when it has none for the engine."""
    if row.engines and engine not in row.engines:
        return None
    effective = {key: setting.value for key, setting in settings.items()} if _is_conditional(row) else {}
    consumers = ("library",) if consumer == "deepspeed" else CONSUMERS
    found = row.default_for(engine, versions, effective, by=True, consumers=consumers)
    if found is NO_DEFAULT:
        return None
    by, value = found
    return Setting(value, value, row.key, origin=Origin(default=f"default of {_BY[by]}"))


def fill(table: Table, settings: dict[str, Setting[Any]], engine: str, versions: Versions, consumer: str) -> None:
    """Adds the default of every key that is not there; a key within a mapping that is not there says nothing."""
    always, others = _split(table.name, engine, versions, consumer)
    for key, setting in always.items():
        settings.setdefault(key, setting)
    for row, parent in others:
        if row.key not in settings and (parent is None or settings.get(parent) is not None):
            filled = default_of(row, engine, versions, consumer, settings)
            if filled is not None:
                settings[row.key] = filled


@cache
def _split(
    name: str, engine: str, versions: Versions, consumer: str
) -> tuple[Mapping[str, Setting[Any]], tuple[tuple[Row, str | None], ...]]:
    """The defaults that hold whatever the file says, and the rows with the mapping around them for which it counts."""
    table = load_table(name)
    always: dict[str, Setting[Any]] = {}
    others: list[tuple[Row, str | None]] = []
    for row in table:
        if row.replaced_by is not None or row.type in _NEVER:
            continue
        parent = table.row(row.key.rpartition(".")[0], engine)
        inside = parent.key if parent is not None and parent.type == "mapping" else None
        if inside is not None or _is_conditional(row):
            others.append((row, inside))
        elif row.key not in always and (filled := default_of(row, engine, versions, consumer, {})) is not None:
            always[row.key] = filled
    return always, tuple(others)


def _is_conditional(row: Row) -> bool:
    return any(candidate.condition.when for candidate in row.defaults)
