"""The keys of each dialect."""

from __future__ import annotations

from collections.abc import Iterator

from fsds_convert.explain.dialects import TITLES, names
from fsds_convert.explain.facts import facts
from fsds_convert.explain.markdown import code, heading, link, prose, table
from fsds_convert.tables.load import load_document, load_table
from fsds_convert.tables.row import NO_DEFAULT, Row
from fsds_convert.tables.table import Table


def sections() -> Iterator[str]:
    """A section for each table: its keys at a glance, then one by one."""
    for name, title in TITLES.items():
        yield from _section(load_table(name), title)


def _section(rows: Table, title: str) -> Iterator[str]:
    audited = ", ".join(f"{package} {version}" for package, version in load_document(rows.name)["audited"].items())
    yield heading(2, title, rows.name)
    prefix = f" A missing prefix `{rows.prefix}` is added by the loader." if rows.prefix else ""
    yield f"An unknown key is {rows.unknown_keys}.{prefix} Read from {audited}.\n"
    yield from table(("key", "plan field", "type", "default"), (_summary(rows, row) for row in rows))
    for key, same_key in rows.by_key.items():
        yield heading(3, code(_short(rows, key)), rows.name, _short(rows, key))
        for row in same_key:
            yield from _entry(row)


def _short(rows: Table, key: str) -> str:
    return key.removeprefix(f"{rows.section}.") if rows.section else key


def _summary(rows: Table, row: Row) -> tuple[str, ...]:
    key = _short(rows, row.key)
    default = row.defaults[0].value if row.defaults else NO_DEFAULT
    return (
        link(code(key), rows.name, key),
        link(row.field, "field", row.field) if row.field else "",
        row.type,
        "" if default is NO_DEFAULT else code(default),
    )


def _entry(row: Row) -> Iterator[str]:
    if row.engines:
        yield f"*{names(row.engines)} only.*\n"
    if row.note:
        yield f"{prose(row.note)}\n"
    yield "\n".join(f"- {fact}" for fact in facts(row, link))
    yield ""
