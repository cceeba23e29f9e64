"""What the rows of the tables say of a file beyond what reading it finds: dead keys, and what differs by release."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from fsds_convert.diagnostics import Diagnostic, Place, finding
from fsds_convert.engines.fields import Engine
from fsds_convert.engines.modules import MODULES, tables_of
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.keys import inline_keys, path_of
from fsds_convert.settings import fixes
from fsds_convert.settings.setting import Setting
from fsds_convert.settings.show import show
from fsds_convert.tables.row import Row
from fsds_convert.tables.table import Table
from fsds_convert.tables.versions import Versions, checked


def table_advice(facts: Facts) -> Iterator[Diagnostic]:
    """One finding for each key that nobody reads, that its release does not have, or whose default changed."""
    if facts.make_plan is None:
        return
    for table, row in _telling(facts.engine, facts.context.versions):
        setting = facts.settings.get(row.key)
        if setting is None:
            continue
        if setting.is_written:
            yield from _written(facts, table, row, setting)
        elif row.json is None and not _filled_inline(facts, row):
            yield from _default(facts, row, setting)


@cache
def _telling(engine: str, versions: Versions) -> tuple[tuple[Table, Row], ...]:
    """The rows that have something to tell."""
    name: Engine | None = next((known for known in MODULES if known == engine), None)
    return tuple(
        (table, row)
        for table in (tables_of(name) if name is not None else ())
        for row in table
        if (not row.engines or engine in row.engines)
        and (
            (row.type == "dead" and not (row.removed and row.removed.reached(versions)))
            or (row.since is not None and not row.since.reached(versions))
            or any(d.condition.since is not None or d.condition.before is not None for d in row.defaults)
        )
    )


def _written(facts: Facts, table: Table, row: Row, setting: Setting[object]) -> Iterator[Diagnostic]:
    path, text = setting.origin.path, f"`{row.name}`"
    if not path or setting.origin.place is None:
        return
    inside = setting.origin.place.name == facts.source.name
    place = facts.place(path, key=True) if inside else setting.origin.place
    if row.type == "dead" and not (row.removed and row.removed.reached(facts.context.versions)):
        fix = fixes.removed(path)
        yield finding("dead-key", f"{text} is read by nobody", place, row.note, "remove it", fix, checked(row.source))
    elif row.since is not None and not row.since.reached(facts.context.versions):
        parent = table.row(row.key.rpartition(".")[0], facts.engine)
        refused = (parent.unknown_keys if parent and parent.key else table.unknown_keys) == "refused"
        package = row.since.package
        release = getattr(facts.context.versions, package)
        name = "key-newer-than-release-refused" if refused else "key-newer-than-release-ignored"
        note = f"{package} {release} {'refuses' if refused else 'ignores'} it"
        help = f"use {row.since.text} or newer, or remove it"
        yield finding(name, f"{text} is new in {row.since.text}", place, note, help, None, checked(row.source))


def _filled_inline(facts: Facts, row: Row) -> bool:
    """Whether Accelerate writes the key into the DeepSpeed config that it makes of an inline section."""
    return facts.container == "accelerate" and facts.deepspeed_file is None and row.key in inline_keys()


def _concerned(facts: Facts, row: Row) -> bool:
    """Whether the key decides a field of every plan, or stands in a section that the file has."""
    section = row.key.rpartition(".")[0]
    return row.field is not None or any(
        setting.is_written and key.rpartition(".")[0] == section for key, setting in facts.settings.items()
    )


def _default(facts: Facts, row: Row, setting: Setting[object]) -> Iterator[Diagnostic]:
    """A key that is not written, and whose default another release has otherwise."""
    changes = [d for d in row.defaults if d.condition.since is not None or d.condition.before is not None]
    if not changes or not setting.origin.default.startswith("default of") or not _concerned(facts, row):
        return
    parts = [
        f"{show(d.value)} since {d.condition.since.text}"
        if d.condition.since
        else f"{show(d.value)} before {d.condition.before.text if d.condition.before else ''}"
        for d in changes
    ]
    named = facts.deepspeed_file if row.table.startswith("deepspeed-json") else None
    place = facts.place(path_of(row.key, facts), key=True)
    if named is not None:  # the Accelerate file has no such key
        place = Place(named.name, named.keys.get(tuple(row.key.split(".")[:-1])))
    yield finding(
        "default-depends-on-release",
        f"`{row.name}` is not written, and its default has changed",
        place,
        note=f"{show(setting.value)} runs here; the default is {', '.join(parts)}",
        help=f"write `{row.name}: {show(setting.value)}`",
        checked=checked(row.source),
    )
