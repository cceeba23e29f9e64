""" "auto" in a DeepSpeed JSON: who fills it, and what becomes of it otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsds_convert.diagnostics import Diagnostic, Place, finding
from fsds_convert.settings import fixes
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Origin, Setting
from fsds_convert.settings.show import show
from fsds_convert.syntax.span import Path
from fsds_convert.tables.row import Row
from fsds_convert.tables.table import Table
from fsds_convert.tables.versions import checked

_TABLE = "deepspeed-json"


def fills(row: Row, context: Context) -> bool:
    """Whether "auto" finds its value; one left in a JSON is refused (accelerate/utils/dataclasses.py:1368)."""
    if row.auto == "trainer":
        return context.consumer == "trainer"
    if context.consumer == "deepspeed" and row.table.startswith(_TABLE):
        return False
    return bool(row.auto) or not row.table.startswith(_TABLE)


def drops(row: Row, parent: Row | None, context: Context) -> bool:
    """Whether a script that calls DeepSpeed itself loses "auto" (deepspeed/runtime/config_utils.py:55)."""
    strict = parent is not None and parent.type == "section" and parent.unknown_keys == "refused"
    return strict and context.consumer == "deepspeed" and row.table.startswith(_TABLE)


def dropped(row: Row, path: Path, place: Place, default: Setting[Any] | None) -> tuple[Setting[Any], list[Diagnostic]]:
    """The setting of an "auto" that is lost: the default runs."""
    value = default.value if default is not None else None
    setting = Setting(value, value, row.key, "auto", Origin(place, path=path))
    if value == "auto":
        return setting, []
    text = f"`{row.name}: auto` is read as {show(value)}"
    note = "DeepSpeed drops the text auto in this section; only Accelerate and the Trainer fill it in"
    fix = fixes.written_as(path, row, value) or fixes.removed(path)
    return setting, [finding("value-misread", text, place, note, "write a value", fix, checked(row.source))]


def trips_over(table: Table, written: Any, context: Context) -> bool:
    """Accelerate looks for "auto" in every key, known or not (accelerate/utils/dataclasses.py:1391)."""
    if isinstance(written, Mapping):
        return any(trips_over(table, inner, context) for inner in written.values())
    return table.name.startswith(_TABLE) and context.consumer != "deepspeed" and bool(written == "auto")
