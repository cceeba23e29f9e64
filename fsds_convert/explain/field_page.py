"""The page of a plan field: its keys in each engine, and what conversions make of it."""

from __future__ import annotations

from collections.abc import Iterator

from fsds_convert.explain.mapping import COLUMNS, Equivalence, equivalences, keys_of, mapping_data, transfer_data
from fsds_convert.explain.markdown import codes, prose, table
from fsds_convert.explain.page import Page, page
from fsds_convert.explain.transfers import TOGETHER, sentence
from fsds_convert.transfer.rows import Transfer


def field_page(field: str) -> Page:
    """The page of a plan field, by its path or the name of its group."""
    entries = equivalences(field)
    parts = [part for entry in entries for part in field_parts(entry.field)]
    return page(field, parts, {"kind": "field", "fields": mapping_data(entries)})


def field_parts(field: str) -> Iterator[str]:
    """The parts of a page about one plan field."""
    for entry in equivalences(field):
        yield f"## The same setting elsewhere: {entry.field}"
        yield f"{prose(entry.about).capitalize()}."
        yield "\n".join(table(("", "key", "values"), (_line(entry, name) for name in entry.rows)))
        yield f"## What a conversion makes of {entry.field}"
        yield _conversions(entry)


def _line(entry: Equivalence, column: str) -> tuple[str, str, str]:
    spelled = dict.fromkeys(value for row in entry.rows[column] for value in row.values)
    return COLUMNS[column], keys_of(entry, column), codes(spelled)


def _conversions(entry: Equivalence) -> str:
    if entry.field in TOGETHER:
        return f"It goes with {TOGETHER[entry.field]}."
    told = [f"- {sentence(row)}" for row in entry.transfers]
    return "\n".join(told) if told else "It is carried over as it is (exact)."


def transfer_page(row: Transfer) -> Page:
    """The page of the code of a conversion."""
    parts = [sentence(row), *field_parts(row.field)]
    return page(f"{row.code}: {row.name}", parts, {"kind": "conversion", **transfer_data(row)})
