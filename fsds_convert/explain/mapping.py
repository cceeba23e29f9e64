"""The equivalence table: the keys that say a plan field in each engine, and what is kept between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fsds_convert.engines.fields import Engine, acts, fixed
from fsds_convert.engines.modules import tables_of
from fsds_convert.explain.markdown import codes, table
from fsds_convert.explain.topics import follows
from fsds_convert.explain.transfers import TOGETHER, route, sentence, transfers_of
from fsds_convert.plan.training_plan import FIELDS
from fsds_convert.report.values import plain, shown
from fsds_convert.settings.setting import Setting
from fsds_convert.tables.load import load_document
from fsds_convert.tables.row import Row
from fsds_convert.tables.versions import Versions
from fsds_convert.transfer.rows import Transfer

COLUMNS = {
    "fsdp1": "FSDP1",
    "fsdp2": "FSDP2",
    "deepspeed-inline": "DeepSpeed inline",
    "deepspeed-json": "DeepSpeed JSON",
}
_ENGINE_OF: dict[str, Engine] = {
    "fsdp1": "fsdp1",
    "fsdp2": "fsdp2",
    "deepspeed-inline": "deepspeed",
    "deepspeed-json": "deepspeed",
}


@dataclass(frozen=True)
class Equivalence:
    """A plan field: its rows by column, what an engine does without a key, and what conversions make of it.

    A route that no transfer names keeps the field as it is.
    """

    field: str
    about: str
    rows: Mapping[str, tuple[Row, ...]]
    by_itself: Mapping[str, Setting[Any]]
    transfers: tuple[Transfer, ...]


def equivalences(field: str | None = None, engine: str | None = None) -> list[Equivalence]:
    """Every plan field, or those of a group or a single one; with `engine` what concerns it."""
    fields = [path for path in FIELDS if field is None or path == field or path.startswith(f"{field}.")]
    return [_equivalence(path, engine) for path in fields]


def _equivalence(path: str, engine: str | None) -> Equivalence:
    columns = [name for name in COLUMNS if engine in (None, _ENGINE_OF[name])]
    rows = {name: tuple(_rows(path, name)) for name in columns}
    alone = {name: fixed(_ENGINE_OF[name])[path] for name in columns if path in fixed(_ENGINE_OF[name])}
    told = [row for row in transfers_of(path) if engine in (None, *row.sources, *row.targets) or not row.sources]
    about = load_document("plan")["fields"][path]["about"]
    return Equivalence(path, about, rows, alone, tuple(told))


def _rows(path: str, column: str) -> Iterator[Row]:
    engine = _ENGINE_OF[column]
    for held in tables_of(engine):
        if engine == "deepspeed" and (held.name == "deepspeed-json") is not (column == "deepspeed-json"):
            continue
        yield from (row for row in held if row.field == path and acts(row, engine) and _in_use(row, engine))


def _in_use(row: Row, engine: Engine) -> bool:
    """Not an older spelling, and not one that nobody reads."""
    dead = (i.condition.holds(engine, Versions(), {}) and not i.condition.when and i.unread for i in row.ignored)
    return row.replaced_by is None and row.removed is None and not any(dead)


def keys_of(entry: Equivalence, column: str) -> str:
    """The keys of a column; without one what the engine does by itself."""
    rows = entry.rows[column]
    decided_by = follows().get(entry.field, {}).get(column, ())
    if rows and not decided_by:
        return codes(dict.fromkeys(map(short, rows)))
    if decided_by:
        return f"follows {codes(decided_by)}"
    alone = entry.by_itself.get(column)
    return "no key" if alone is None or alone.value is None else f"no key: {shown(alone.value)}"


def short(row: Row) -> str:
    """A key as it is known: of a section of an Accelerate file its name, of a DeepSpeed JSON the whole."""
    return row.name if row.key.partition(".")[0].endswith("_config") else row.key


def mapping_markdown(entries: list[Equivalence]) -> str:
    """A table with a row for each field, then each transfer by its code."""
    columns = list(entries[0].rows) if entries else []
    rows = ((entry.field, *(keys_of(entry, name) for name in columns), "<br>".join(_short(entry))) for entry in entries)
    lines = ["# Equivalent settings\n", *table(("plan field", *(COLUMNS[n] for n in columns), "conversions"), rows)]
    for entry in entries:
        lines += [f"- {sentence(row)}" for row in entry.transfers]
    return "\n".join(lines).rstrip() + "\n"


def mapping_text(entries: list[Equivalence]) -> str:
    """A block of lines for each field."""
    return "\n\n".join("\n".join(_block(entry)) for entry in entries)


def _short(entry: Equivalence) -> Iterator[str]:
    if entry.field in TOGETHER:
        yield f"with {TOGETHER[entry.field]}"
    elif not entry.transfers:
        yield "exact"
    yield from (f"{route(row)}: {row.fidelity.value} ({row.code})" for row in entry.transfers)


def _block(entry: Equivalence) -> Iterator[str]:
    yield f"{entry.field}: {entry.about}"
    width = max(map(len, COLUMNS.values()))
    for name in entry.rows:
        yield f"  {COLUMNS[name].ljust(width)}  {keys_of(entry, name).replace('`', '')}"
    if entry.field in TOGETHER:
        yield f"  converted together with {TOGETHER[entry.field]}"
    elif not entry.transfers:
        yield "  carried over as it is (exact)"
    for row in entry.transfers:
        yield f"  {row.code} {route(row)}: {row.fidelity.value}: {row.reason}"


def mapping_data(entries: list[Equivalence]) -> list[dict[str, Any]]:
    """The same for json.dumps."""
    return [_data(entry) for entry in entries]


def _data(entry: Equivalence) -> dict[str, Any]:
    return {
        "field": entry.field,
        "about": entry.about,
        "keys": {name: list(dict.fromkeys(row.key for row in rows)) for name, rows in entry.rows.items()},
        "follows": {name: list(keys) for name, keys in follows().get(entry.field, {}).items() if name in entry.rows},
        "by_itself": {
            name: {"value": plain(setting.value), "note": setting.note}
            for name, setting in entry.by_itself.items()
            if not entry.rows[name]
        },
        "converted_with": TOGETHER.get(entry.field),
        "conversions": [transfer_data(row) for row in entry.transfers],
    }


def transfer_data(row: Transfer) -> dict[str, Any]:
    """A row of mappings/transfer.yaml for json.dumps."""
    return {
        "code": row.code,
        "name": row.name,
        "field": row.field,
        "from": list(row.sources),
        "to": list(row.targets),
        "value": plain(row.values),
        "value_not": plain(row.not_values),
        "when": plain(dict(row.when)),
        "when_not": plain(dict(row.when_not)),
        "consumer": row.consumer,
        "fidelity": row.fidelity.value,
        "effect": row.effect,
        "reason": row.reason,
        "script": dict(row.script),
    }
