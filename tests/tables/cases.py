"""`cases.yaml`: what goes beside a key, and which rows upstream's own answer does not settle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Row

Entry = dict[str, Any]

_CASES: dict[str, list[Entry]] = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text(encoding="utf-8"))


def entries(kind: str) -> list[Entry]:
    """The entries below `needs`, `differing` or `unseen`."""
    return _CASES[kind]


def about(kind: str, row: Row) -> Iterator[Entry]:
    """The entries about a row."""
    return (entry for entry in entries(kind) if _concerns(entry, row))


def keys_of(entry: Entry) -> list[str]:
    """The keys that an entry names, dotted from the root of the file."""
    section = load_table(entry["table"]).section
    return [f"{section}.{key}" if section else key for key in entry.get("keys", ())]


def same(left: Any, right: Any) -> bool:
    """Equality that keeps true, 1 and 1.0 apart, as YAML does."""
    return type(left) is type(right) and bool(left == right)


def _concerns(entry: Entry, row: Row) -> bool:
    """By its key, for `needs` a key above it too, or by its table as a whole."""
    keys = keys_of(entry)
    if "acting" in entry and tuple(entry["acting"]) != row.engines:
        return False
    if not keys:
        return bool(entry["table"] == row.table)
    return row.key in keys or ("with" in entry and any(row.key.startswith(f"{key}.") for key in keys))
