"""The pages of `mappings/topics.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fsds_convert.tables.load import load_document


@dataclass(frozen=True)
class Topic:
    """A page by its names; `see` are the keys, plan fields and codes that it builds on."""

    names: tuple[str, ...]
    title: str
    text: str
    see: tuple[str, ...]


@cache
def topics() -> tuple[Topic, ...]:
    """Every page, in the order of the file."""
    rows = load_document("topics")["topics"]
    return tuple(Topic(tuple(row["names"]), row["title"], row["text"].strip(), tuple(row["see"])) for row in rows)


@cache
def other_codes() -> dict[str, tuple[str, str]]:
    """Codes of a conversion that belong to no plan field: name and text."""
    return {code: (row["name"], row["text"]) for code, row in load_document("topics")["codes"].items()}


@cache
def follows() -> dict[str, dict[str, tuple[str, ...]]]:
    """The keys that decide a plan field without a row of its own, by column of the mapping."""
    rows = load_document("topics")["follows"].items()
    return {field: {column: tuple(keys) for column, keys in columns.items()} for field, columns in rows}
