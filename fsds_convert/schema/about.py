"""What an editor shows of a key: its description, its default, and what to write instead of a wrong value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from fsds_convert.explain.accepts import accepts
from fsds_convert.explain.dialects import names
from fsds_convert.explain.facts import defaults, versions, without_effect
from fsds_convert.schema.values import Schema
from fsds_convert.tables.row import Row
from fsds_convert.tables.table import Table
from fsds_convert.tables.versions import Versions


def about(table: Table, row: Row) -> Schema:
    """The keywords that validate nothing."""
    found: Schema = {"description": "\n\n".join(_description(table, row))}
    offered = next((default.value for default in row.defaults if _is_json(default.value)), None)
    if offered is not None and row.type not in ("dead", "refused", "section"):
        found["default"] = offered
    gone = _gone(row)
    if gone or row.type == "dead":
        found["doNotSuggest"] = True
    if gone and (row.replaced_by is None or _is_mistake(row)):
        found["deprecationMessage"] = gone  # the YAML language server underlines the key as an error
    if row.type != "section" and not table.has_keys_below(row):
        # of a section it would stand in the place of what is said about the keys inside
        found["errorMessage"] = gone or f"`{row.name}` accepts {accepts(row)}"
    return found


def _is_json(value: Any) -> bool:
    """JSON has no infinity."""
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))


def _description(table: Table, row: Row) -> Iterator[str]:
    note = " ".join(row.note.split())
    yield f"{names(row.engines)} only. {note}".strip() if row.engines else note
    null = ["`null` is the same as no key"] if row.null_is_absent else []
    facts = [f"accepts: {accepts(row)}", *null, *defaults(row), *versions(row), *without_effect(row)]
    yield "\n".join(f"- {fact}" for fact in facts)
    short = row.key.removeprefix(f"{table.section}.") if table.section else row.key
    yield f"docs/mapping.md#{table.name}-{short}"


def _gone(row: Row) -> str:
    """Why the key should not be written at all; "" where it may be, though nothing may read it."""
    instead = f"; write `{row.replaced_by}`" if row.replaced_by else ""
    if row.removed is not None and row.removed.reached(Versions()):
        return f"`{row.name}` was removed in {row.removed.text}{instead}"
    if row.type == "refused":
        return f"`{row.name}` is no key of this file{instead}"
    if not row.replaced_by:
        return ""
    what = "is read by nobody" if row.type == "dead" else "is an older spelling"
    return f"`{row.name}` {what}{instead}"


def _is_mistake(row: Row) -> bool:
    """An older spelling that works is none, but DeepSpeed deprecates its own."""
    return row.type == "dead" or row.removed is not None or row.table.startswith("deepspeed-json")
