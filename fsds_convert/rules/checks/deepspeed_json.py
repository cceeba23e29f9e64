"""Checks of the keys of a DeepSpeed JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fsds_convert.diagnostics import Change, Place
from fsds_convert.rules.checks.json_file import holder, items, json_of, key_place
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match
from fsds_convert.settings.fixes import replaced
from fsds_convert.settings.renamed import replacement, respelled
from fsds_convert.settings.setting import Setting
from fsds_convert.syntax.span import Path
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Row

_TABLE = "deepspeed-json"
_ENGINE = "deepspeed"


def in_json(facts: Facts) -> Iterator[Match]:
    """There is a JSON."""
    if json_of(facts) is not None:
        yield Match()


def missing_in_json(facts: Facts) -> Iterator[Match]:
    """There is a JSON, and what is missing is missing there."""
    source = json_of(facts)
    if source is not None:
        yield Match(place=Place(source.name))


def zero_section_missing(facts: Facts) -> Iterator[Match]:
    """Accelerate asks for the key, whatever its value (accelerate/utils/dataclasses.py:1276)."""
    source = json_of(facts)
    if source is not None and "zero_optimization" not in source.data:
        place = Place(source.name)
        yield Match(place=place, changes=(Change("set", ("zero_optimization", "stage"), 0),))


def activation_checkpointing(facts: Facts) -> Iterator[Match]:
    """The section is written."""
    yield from _section(facts, "activation_checkpointing")


def autotuning(facts: Facts) -> Iterator[Match]:
    """The section is written."""
    yield from _section(facts, "autotuning")


def zenflow(facts: Facts) -> Iterator[Match]:
    """The section is written, which alone switches ZenFlow on."""
    source = json_of(facts)
    if source is not None and isinstance(holder(source, ("zero_optimization", "zenflow")).get("zenflow"), Mapping):
        yield Match()


def partial_offload(facts: Facts) -> Iterator[Match]:
    """A share below 1, also as text, whatever the device (deepspeed/runtime/zero/config.py:399)."""
    setting = facts.setting("zero_optimization.offload_optimizer.ratio")
    if setting is None or not setting.is_written:
        return
    try:
        share = float(setting.written)
    except (TypeError, ValueError):
        return
    if 0 <= share < 1:  # others are refused by their row
        yield Match()


def select_interval(facts: Facts) -> Iterator[Match]:
    """The number that a text holds."""
    yield from _number(facts, "zero_optimization.zenflow.select_interval")


def update_interval(facts: Facts) -> Iterator[Match]:
    """The number that a text holds."""
    yield from _number(facts, "zero_optimization.zenflow.update_interval")


def auto_in_free_section(facts: Facts) -> Iterator[Match]:
    """Accelerate looks for "auto" in keys that DeepSpeed passes on unread (accelerate/utils/dataclasses.py:1391)."""
    source, table = json_of(facts), load_table(_TABLE)
    if source is None:
        return
    for path, value in items(source.data):
        rows = [table.row(".".join(map(str, path[:length])), _ENGINE) for length in range(1, len(path) + 1)]
        free = any(row is not None and row.type == "mapping" for row in rows[:-1])
        if value == "auto" and rows[0] is not None and rows[-1] is None and free:
            words = {"key": ".".join(map(str, path)), "name": path[-1]}
            yield Match(words, Place(source.name, source.values.get(path)))


def two_names(facts: Facts) -> Iterator[Match]:
    """A key under its old and its new name."""
    source = json_of(facts)
    for setting, row, target in _old_names(facts):
        new = _below(row, target)
        if source is not None and new in holder(source, setting.origin.path):
            path = setting.origin.path
            yield Match({"old": row.name, "new": new}, key_place(source, path), (Change("remove", path),))


def old_name(facts: Facts) -> Iterator[Match]:
    """A key under its old name alone."""
    source = json_of(facts)
    for setting, row, target in _old_names(facts):
        path, new = setting.origin.path, _below(row, target)
        if source is None or new in holder(source, path):
            continue
        fix = replaced(path, row, target, respelled(row, target, setting.written), taken=False)
        below = target.key.removeprefix(f"{row.key.rpartition('.')[0]}.")
        yield Match({"old": row.name, "new": below}, key_place(source, path), fix.changes if fix else ())


def _number(facts: Facts, key: str) -> Iterator[Match]:
    setting = facts.settings[key]
    yield Match(changes=(Change("set", setting.origin.path, int(float(setting.written))),))


def _section(facts: Facts, name: str) -> Iterator[Match]:
    source = json_of(facts)
    if source is not None and isinstance(source.data.get(name), Mapping):
        yield Match(place=key_place(source, (name,)))


def _old_names(facts: Facts) -> Iterator[tuple[Setting[object], Row, Row]]:
    """The settings that are written under another name than their own, which DeepSpeed still takes."""
    table = load_table(_TABLE)
    for setting in facts.settings.values():
        row = table.row(setting.key, _ENGINE) if setting.is_written else None
        if row is None or row.replaced_by is None or row.type == "refused" or row.never_read or not _path(setting):
            continue
        target = replacement(table, row)
        if target is not None:
            yield setting, row, target


def _path(setting: Setting[object]) -> Path:
    return setting.origin.path


def _below(row: Row, target: Row) -> str:
    """The name beside the old one that stands for the new one: `offload_optimizer` for its `device`."""
    parent = row.key.rpartition(".")[0]
    return target.key.removeprefix(f"{parent}.").partition(".")[0]


CHECKS: dict[str, Check] = {
    "in_json": in_json,
    "missing_in_json": missing_in_json,
    "zero_section_missing": zero_section_missing,
    "activation_checkpointing_section": activation_checkpointing,
    "autotuning_section": autotuning,
    "zenflow_section": zenflow,
    "partial_offload": partial_offload,
    "auto_in_free_section": auto_in_free_section,
    "two_names": two_names,
    "old_name": old_name,
    "select_interval_number": select_interval,
    "update_interval_number": update_interval,
}
