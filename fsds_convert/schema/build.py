"""The schema of a kind of file, from the tables of its keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fsds_convert.schema.about import about
from fsds_convert.schema.values import Schema, accepted
from fsds_convert.tables.load import load_document, load_table
from fsds_convert.tables.row import Row
from fsds_convert.tables.table import Table
from fsds_convert.tables.versions import Versions

_SECTIONS = ("fsdp", "deepspeed-inline", "parallelism", "dynamo", "fp8")
_ROOTS = {
    "accelerate": ("accelerate", "Accelerate config", ("distributed_type",)),
    "deepspeed": ("deepspeed-json", "DeepSpeed config", ()),
    "trainer-fsdp": ("trainer-fsdp", "fsdp_config of the Trainer", ()),
}
NAMES = tuple(_ROOTS)


def build(name: str) -> Schema:
    """The schema of one of NAMES, in draft-07: every key in its place, and every value one that upstream takes."""
    root, title, required = _ROOTS[name]
    table = load_table(root)
    audited = ", ".join(f"{package} {version}" for package, version in load_document(root)["audited"].items())
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": f"https://fsds-convert.invalid/schemas/editor/{name}.schema.json",
        "title": title,
        "description": f"Generated from the tables of fsds, which were read from {audited}.",
        "type": "object",
        **({"required": list(required)} if required else {}),
        **_keys(table, table.section, "#"),
    }


def _keys(table: Table, parent: str, at: str, *, closed: bool = True) -> Schema:
    """The keys below `parent`, which stands at the pointer `at`.

    A prefix that the loader adds may be left out: such a name is taken, but not offered.
    """
    found: Schema = {"properties": {}}
    for key, rows in table.by_key.items():
        if key.rpartition(".")[0] != parent:
            continue
        name = key.removeprefix(f"{parent}.") if parent else key
        if len(rows) == 1:
            found["properties"][name] = _key(table, rows[0], f"{at}/properties/{name}")
        else:
            found["properties"][name] = {}
            found.setdefault("allOf", []).append(_by_engine(table, name, rows))
    if parent == table.section and (table.prefix or table.dropped_prefix):
        found["patternProperties"] = _other_spellings(table, found["properties"], at)
    return {**found, **({"additionalProperties": False} if closed else {})}


def _key(table: Table, row: Row, at: str) -> Schema:
    if row.removed is not None and row.removed.reached(Versions()):
        return {**about(table, row), **({"not": {}} if _refuses(table, row) else {})}
    inside: Schema = {}
    section = next((load_table(name) for name in _SECTIONS if load_table(name).section == row.key), None)
    if table.name == "accelerate" and section is not None:
        inside = _keys(section, section.section, at)
    elif table.has_keys_below(row):
        inside = _keys(table, row.key, at, closed=row.type == "section")
    return {**about(table, row), **accepted(row), **inside}


def _refuses(table: Table, row: Row) -> bool:
    """Whether upstream refuses a name that it has removed (settings/read_section.py)."""
    parent = row.key.rpartition(".")[0]
    above = table.by_key.get(parent, ())
    return table.name != "fsdp" and (not above or above[0].unknown_keys == "refused")


def _other_spellings(table: Table, properties: Schema, at: str) -> Schema:
    told = {
        f"^{re.escape(other)}$": {"$ref": f"{at}/properties/{name}"} if properties[name] else {}
        for name in properties
        if (other := _other_spelling(table, name)) not in properties
    }
    # the Trainer's own defaults stand there under names that begin so
    return {**told, "^_": {}} if table.dropped_prefix else told


def _other_spelling(table: Table, name: str) -> str:
    """Without the prefix that the loader adds, or with the one that it drops."""
    return f"{table.dropped_prefix}{name}" if table.dropped_prefix else name.removeprefix(table.prefix)


def _by_engine(table: Table, name: str, rows: tuple[Row, ...]) -> Schema:
    """A key that the versions of FSDP read differently."""
    by_engine = {engine: row for row in rows for engine in row.engines}
    branch = {engine: {"properties": dict(_spelled(table, name, row))} for engine, row in by_engine.items()}
    first, second = (branch[engine] for engine in ("fsdp1", "fsdp2"))
    version = next(row for row in table if row.name.removeprefix(table.prefix) == "version")
    unless, otherwise, other = (first, second, 1) if version.defaults[0].value == 2 else (second, first, 2)
    spellings = (version.name, _other_spelling(table, version.name))
    written = [{"required": [s], "properties": {s: {"enum": [other, str(other)]}}} for s in spellings]
    return {"if": {"anyOf": written}, "then": unless, "else": otherwise}


def _spelled(table: Table, name: str, row: Row) -> Iterator[tuple[str, Any]]:
    value = _key(table, row, "")  # no key of two readings holds others
    yield name, value
    yield _other_spelling(table, name), {**value, "doNotSuggest": True}
