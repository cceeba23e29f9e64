"""The keys of each dialect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsds_convert._docs.markdown import code, codes, heading, link, prose, table
from fsds_convert.engines.fields import plan_value
from fsds_convert.tables.load import load_document, load_table
from fsds_convert.tables.row import NO_DEFAULT, Condition, Row
from fsds_convert.tables.table import Table

TITLES = {
    "accelerate": "Top level of an Accelerate file",
    "fsdp": "fsdp_config",
    "parallelism": "parallelism_config",
    "dynamo": "dynamo_config",
    "fp8": "fp8_config",
    "deepspeed-inline": "deepspeed_config, inline",
    "deepspeed-json": "DeepSpeed JSON",
    "launch-flags": "Flags of accelerate launch",
}
ENGINES = {"fsdp1": "FSDP1", "fsdp2": "FSDP2", "deepspeed": "DeepSpeed", "ddp": "DDP", "single": "one process"}
_CONSUMERS = {
    "launcher": "`accelerate launch`",
    "plugin": "plain plugin class",
    "trainer": "Trainer",
    "library": "DeepSpeed itself",
}
_FAMILIES = {"fsdp": "FSDP and DDP", "deepspeed": "DeepSpeed"}


def sections() -> Iterator[str]:
    """A section for each table: its keys at a glance, then one by one."""
    for name, title in TITLES.items():
        yield from _section(load_table(name), title)


def names(engines: tuple[str, ...]) -> str:
    """FSDP1, FSDP2."""
    return ", ".join(ENGINES[engine] for engine in engines)


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
    facts = [*_what(row), *_defaults(row), *_versions(row), *_without_effect(row), *_elsewhere(row)]
    yield "\n".join(f"- {fact}" for fact in (*facts, f"source: `{row.source}`"))
    yield ""


def _what(row: Row) -> Iterator[str]:
    if row.field:
        yield f"plan field: {link(row.field, 'field', row.field)}"
    case = " in any case" if row.type == "choice" and row.case == "any" else ""
    yield f"type: {row.type}{case}{', or `auto`' if row.auto else ''}"
    if row.values:
        yield f"spellings: {'; '.join(_spelling(row, spelling) for spelling in row.values)}"
    if row.range:
        yield f"range: {code(row.range)}"
    if row.type == "section":
        yield f"an unknown key inside is {row.unknown_keys}"
    if row.null_is_absent:
        yield "`null` is the same as no key"
    if row.json:
        yield f"in a DeepSpeed JSON: {link(code(row.json), 'deepspeed-json', row.json)}"
    if row.conflicts_with_file:
        yield "refused next to `deepspeed_config_file`"


def _spelling(row: Row, spelling: Any) -> str:
    also = [alias for alias, target in row.aliases.items() if target == spelling]
    meaning = plan_value(row.values[spelling])
    means = f" = {code(meaning)}" if row.field else ""
    return " or ".join(map(code, (spelling, *also))) + means


def _defaults(row: Row) -> Iterator[str]:
    for consumer in dict.fromkeys(default.consumer for default in row.defaults):
        given = (default for default in row.defaults if default.consumer == consumer)
        yield f"default of {_CONSUMERS[consumer]}: {'; else '.join(_default(d.value, d.condition) for d in given)}"


def _default(value: Any, holds: Condition) -> str:
    return f"{code(value)}{_condition(holds)}"


def _condition(holds: Condition) -> str:
    parts = [f"with {names(holds.engines)}"] if holds.engines else []
    parts += [f"since {holds.since.text}"] if holds.since else []
    parts += [f"before {holds.before.text}"] if holds.before else []
    parts += [f"with {code(key.rpartition('_config.')[2])} {codes(values)}" for key, values in holds.when.items()]
    return f" ({', '.join(parts)})" if parts else ""


def _versions(row: Row) -> Iterator[str]:
    if row.since:
        yield f"since {row.since.text}"
    if row.removed:
        yield f"removed in {row.removed.text}"
    if row.replaced_by:
        yield f"replaced by {code(row.replaced_by)}"


def _without_effect(row: Row) -> Iterator[str]:
    for case in row.ignored:
        runs = "" if case.value is NO_DEFAULT else f"; what runs: {code(case.value)}"
        unread = "; a wrong value passes" if case.unread else ""
        yield f"no effect{_condition(case.condition)}: {prose(case.note)}{runs}{unread}"


def _elsewhere(row: Row) -> Iterator[str]:
    for family, loss in row.elsewhere.items():
        effect = f" ({loss.effect})" if loss.effect != "none" else ""
        yield f"converted to {_FAMILIES[family]}: {loss.fidelity}{effect}: {prose(loss.note)}"
