"""What a row of a table says, as short sentences of Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fsds_convert.engines.fields import plan_value
from fsds_convert.explain.dialects import names
from fsds_convert.explain.markdown import code, codes, prose
from fsds_convert.tables.row import NO_DEFAULT, Condition, Row

# text and the parts of an anchor -> a link, where the page has such an anchor
Link = Callable[..., str]

_CONSUMERS = {
    "launcher": "`accelerate launch`",
    "plugin": "plain plugin class",
    "trainer": "Trainer",
    "library": "DeepSpeed itself",
}
_FAMILIES = {"fsdp": "FSDP and DDP", "deepspeed": "DeepSpeed"}


def unlinked(text: str, *_: str) -> str:
    """For a page without anchors."""
    return text


def facts(row: Row, link: Link = unlinked) -> Iterator[str]:
    """Everything but the note and the engines."""
    yield from _what(row, link)
    yield from defaults(row)
    yield from versions(row)
    yield from without_effect(row)
    yield from _elsewhere(row)
    yield f"source: `{row.source}`"


def _what(row: Row, link: Link) -> Iterator[str]:
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


def defaults(row: Row) -> Iterator[str]:
    """What runs without the key, a sentence for each consumer."""
    for consumer in dict.fromkeys(default.consumer for default in row.defaults):
        given = (default for default in row.defaults if default.consumer == consumer)
        values = "; else ".join(f"{code(default.value)}{_condition(default.condition)}" for default in given)
        yield f"default of {_CONSUMERS[consumer]}: {values}"


def _condition(holds: Condition) -> str:
    parts = [f"with {names(holds.engines)}"] if holds.engines else []
    parts += [f"since {holds.since.text}"] if holds.since else []
    parts += [f"before {holds.before.text}"] if holds.before else []
    parts += [f"with {code(key.rpartition('_config.')[2])} {codes(values)}" for key, values in holds.when.items()]
    return f" ({', '.join(parts)})" if parts else ""


def versions(row: Row) -> Iterator[str]:
    """The releases between which the key is there, and the one that stands for it."""
    if row.since:
        yield f"since {row.since.text}"
    if row.removed:
        yield f"removed in {row.removed.text}"
    if row.replaced_by:
        yield f"replaced by {code(row.replaced_by)}"


def without_effect(row: Row) -> Iterator[str]:
    """When a written value does nothing."""
    for case in row.ignored:
        runs = "" if case.value is NO_DEFAULT else f"; what runs: {code(case.value)}"
        unread = "; a wrong value passes" if case.unread else ""
        yield f"no effect{_condition(case.condition)}: {prose(case.note)}{runs}{unread}"


def _elsewhere(row: Row) -> Iterator[str]:
    for family, loss in row.elsewhere.items():
        effect = f" ({loss.effect})" if loss.effect != "none" else ""
        yield f"converted to {_FAMILIES[family]}: {loss.fidelity}{effect}: {prose(loss.note)}"
