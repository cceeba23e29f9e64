"""The top level of an Accelerate file, and how its values are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePath

from fsds_convert.diagnostics import Change
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match
from fsds_convert.settings.setting import Setting
from fsds_convert.settings.show import show
from fsds_convert.syntax.span import Path
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Row

_SECTIONS = ("fsdp", "fp8", "dynamo", "parallelism", "deepspeed-inline")
_TRUE, _GLOO = "true", "FULL_STATE_DICT"
_QUOTES = "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00ab\u00bb"
# YAML 1.1, as PyYAML reads it
_OCTAL = re.compile(r"[-+]?0[0-7_]+")
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
_WORDS = re.compile(r"[^a-z0-9]+")
_STAGE = re.compile(r"(?:^|_)zero(?:_?stage)?_?([0-3])(?:_|$)")
# a name with one of these says what the file is not, or more than one thing
_NOT_ONE = frozenset(("no", "non", "not", "off", "or", "to", "versus", "vs", "without"))


def _taken(facts: Facts) -> Iterator[tuple[str, Setting[object]]]:
    """The settings that stand in this file and that upstream takes as they are."""
    for key, setting in facts.settings.items():
        place = setting.origin.place
        here = place is not None and place.name == facts.source.name and setting.origin.path
        if setting.is_written and here and not setting.note:
            yield key, setting


@cache
def _dead() -> dict[str, Row]:
    return {row.key: row for name in _SECTIONS for row in load_table(name) if row.type == "dead"}


def key_never_read(facts: Facts) -> Iterator[Match]:
    """Keys of a section that only look like its keys."""
    for key, setting in facts.settings.items():
        row = _dead().get(key)
        if row is None or not setting.is_written or setting.written is None:
            continue
        path, near = setting.origin.path, row.replaced_by
        section = facts.source.data.get(path[0])
        taken = isinstance(section, dict) and near in section
        renamed = near is not None and not taken
        change = Change("rename", path, near) if renamed else Change("remove", path)
        words = {
            "key": row.name,
            "note": row.note.strip().removesuffix("."),
            "do": f"write `{near}`" if renamed else "remove it",
        }
        yield Match(words, facts.place(path, key=True), (change,))


def quoted_boolean(facts: Facts) -> Iterator[Match]:
    """Text where the launcher exports text anyway, but looks at the value itself before."""
    for key, setting in _taken(facts):
        word = str(setting.written).lower()
        if isinstance(setting.written, str) and word in (_TRUE, "false") and setting.value is (word == _TRUE):
            words = {"key": key.rpartition(".")[2], "written": setting.written, "value": word}
            yield Match(words, setting.origin.place, (Change("set", setting.origin.path, word == _TRUE),))


def without_gloo(facts: Facts) -> Iterator[Match]:
    """Two exact spellings decide whether CPU tensors have a backend (accelerate/state.py:230)."""
    offload = facts.setting("fsdp_config.fsdp_offload_params")
    states = facts.setting("fsdp_config.fsdp_state_dict_type")
    if offload is None or not offload.is_written or offload.value is not True:
        return
    if str(offload.written).lower() != _TRUE and not (states and states.is_written and states.written == _GLOO):
        words = {"key": offload.origin.path[-1], "written": show(offload.written)}
        yield Match(words, offload.origin.place, (Change("set", offload.origin.path, True),))


def number_in_another_base(facts: Facts) -> Iterator[Match]:
    """`010` is 8, and `1:30` is 90."""
    if facts.source.format != "yaml":
        return
    for setting in facts.settings.values():
        number, path = setting.written, setting.origin.path
        if isinstance(number, bool) or not isinstance(number, (int, float)) or path not in facts.source.values:
            continue
        raw = facts.source.raw(path)
        base = "base 8" if _OCTAL.fullmatch(raw) else "base 60" if _SEXAGESIMAL.fullmatch(raw) else ""
        if not base:
            continue
        meant: str | int | None = raw if isinstance(setting.intent, str) else None
        if meant is None and base == "base 8":
            meant = int(raw.replace("_", ""))
        do = "write it in base 10" if meant is None else f"write `{meant}`" + (" in quotes" if meant == raw else "")
        words = {"key": path[-1], "raw": raw, "base": base, "value": show(number), "do": do}
        yield Match(words, facts.place(path), (Change("set", path, meant),) if meant is not None else ())


def typographic_quotes(facts: Facts) -> Iterator[Match]:
    """Quotes that no YAML or JSON parser takes off."""
    for path, text in _texts(facts.source.data, ()):
        bare = text.strip(_QUOTES)
        if bare != text:
            changes = (Change("set", path, bare),) if bare else ()
            yield Match({"key": path[-1], "written": text, "bare": bare}, facts.place(path), changes)


def _texts(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))


def name_says_otherwise(facts: Facts) -> Iterator[Match]:
    """`fsdp2.yaml` that runs FSDP1, `zero3.yaml` with stage 2."""
    name = PurePath(facts.source.name).stem.lower()
    words = set(_WORDS.split(name))
    if words & _NOT_ONE:
        return
    said = {word for word in ("fsdp", "fsdp1", "fsdp2", "deepspeed") if word in words}
    stages = set(_STAGE.findall("_".join(_WORDS.split(name))))
    if len(said | stages) != 1 and said | stages != {"deepspeed", *stages}:
        return
    told = {"name": PurePath(facts.source.name).name}
    if stages and facts.engine == "deepspeed":
        stage, value = stages.pop(), facts.runs("zero_optimization.stage")
        if not stages and isinstance(value, int) and value != int(stage):
            yield Match({**told, "said": f"ZeRO stage {stage}", "runs": f"ZeRO stage {value}"})
    elif not stages and facts.container == "accelerate" and not facts.engine.startswith(word := said.pop()):
        yield Match({**told, "said": word, "runs": _RUNS[facts.engine]})


_RUNS = {"fsdp1": "FSDP1", "fsdp2": "FSDP2", "deepspeed": "DeepSpeed", "ddp": "plain data parallelism"}


def section_empty(facts: Facts) -> Iterator[Match]:
    """The section of the distributed type holds nothing."""
    name = "deepspeed_config" if facts.engine == "deepspeed" else "fsdp_config"
    section = facts.source.data.get(name)
    if not section or (isinstance(section, dict) and all(value in (None, "none") for value in section.values())):
        yield Match(place=facts.place((name,), key=True))


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        key_never_read,
        quoted_boolean,
        without_gloo,
        number_in_another_base,
        typographic_quotes,
        name_says_otherwise,
        section_empty,
    )
}
