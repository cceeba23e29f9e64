"""Reads `mappings/*.yaml`: from the wheel's own copy, or from the checkout."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from fsds_convert.errors import TableError
from fsds_convert.tables.row import NO_DEFAULT, Condition, Default, Elsewhere, Ignored, Row, Since
from fsds_convert.tables.table import Table

_PACKAGE = Path(__file__).resolve().parent.parent
_COMPILED = _PACKAGE / "_data" / "compiled"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def data_folder(name: str) -> Path:
    """`mappings` or `schemas`: inside an installed package, else beside it in a checkout."""
    inside = _PACKAGE / "_data" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


@cache
def load_document(name: str) -> Any:
    """One file of `mappings/` as plain values; raises TableError when it is not valid YAML."""
    if _COMPILED.is_dir():  # in a wheel, see hatch_build.py
        return import_module(f"fsds_convert._data.compiled.{name}").DOCUMENT
    path = data_folder("mappings") / f"{name}.yaml"
    try:
        return yaml.load(path.read_text("utf-8"), _LOADER)  # a subclass of SafeLoader in both cases
    except (OSError, yaml.YAMLError) as error:
        raise TableError(f"mappings/{name}.yaml cannot be read: {error}") from error


@cache
def load_table(name: str) -> Table:
    """The table of one dialect; raises TableError for a row that is not well formed."""
    document = load_document(name)
    section = document["section"]
    try:
        rows = tuple(_row(name, section, raw) for raw in document["rows"])
        for other in document.get("continued_in", ()):
            rows += load_table(other).rows
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TableError(f"mappings/{name}.yaml: {type(error).__name__}: {error}") from error
    prefix, dropped = document.get("prefix", ""), document.get("drops_prefix", "")
    return Table(name, section, prefix, document["unknown_keys"], rows, dropped)


def _row(table: str, section: str, raw: dict[str, Any]) -> Row:
    plain = {name: raw[name] for name in _PLAIN if name in raw}
    return Row(
        key=f"{section}.{raw['key']}" if section else raw["key"],
        table=table,
        engines=tuple(raw.get("engines", ())),
        values=raw.get("values", {}),
        mistaken={str(spelling).lower(): value for spelling, value in raw.get("mistaken", {}).items()},
        aliases={str(spelling): value for spelling, value in raw.get("aliases", {}).items()},
        defaults=tuple(
            default
            for consumer, entry in raw.get("default", {}).items()
            for default in _defaults(consumer, entry, section)
        ),
        ignored=tuple(
            Ignored(
                condition(entry, section),
                entry["note"],
                entry.get("value", NO_DEFAULT),
                entry.get("meant", False),
                entry.get("unread", False),
                entry.get("by_accelerate", False),
                entry.get("quiet", False),
            )
            for entry in raw.get("ignored", ())
        ),
        elsewhere={family: Elsewhere(**entry) for family, entry in raw.get("elsewhere", {}).items()},
        since=Since.parse(raw["since"]) if "since" in raw else None,
        removed=Since.parse(raw["removed"]) if "removed" in raw else None,
        **plain,
    )


_PLAIN = (
    *("type", "source", "field", "case", "write", "replaced_by", "auto", "range", "env", "plugin", "json"),
    *("conflicts_with_file", "null_is_absent", "unknown_keys", "confused_with", "note"),
)


def _defaults(consumer: str, entry: Any, section: str) -> list[Default]:
    if isinstance(entry, list) and entry and all(isinstance(item, dict) and "value" in item for item in entry):
        return [Default(consumer, item["value"], condition(item, section)) for item in entry]
    return [Default(consumer, entry, Condition())]


def condition(entry: dict[str, Any], section: str = "") -> Condition:
    """The part of a row that says when it holds; its other keys are named as inside the section."""
    prefix = f"{section}." if section else ""
    return Condition(
        engines=tuple(entry.get("engines", ())),
        since=Since.parse(entry["since"]) if "since" in entry else None,
        before=Since.parse(entry["before"]) if "before" in entry else None,
        when={prefix + key: tuple(values) for key, values in entry.get("when", {}).items()},
    )
