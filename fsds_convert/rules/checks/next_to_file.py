"""Keys of an Accelerate file that may not stand next to the DeepSpeed JSON that it names."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fsds_convert.diagnostics import Change
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match
from fsds_convert.settings.coerce import coerce
from fsds_convert.settings.setting import same
from fsds_convert.settings.show import show
from fsds_convert.syntax.span import Path
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Row

Answer = Literal["same", "auto", "other", "lacking", "fp8"]
_PRECISIONS = ("bf16", "fp16")


@dataclass(frozen=True)
class Beside:
    """A key that stands beside the JSON: what the JSON says to it, and how the JSON would say what the key does."""

    path: Path
    answer: Answer
    said: Any
    wanted: str


def _beside(facts: Facts) -> Iterator[Beside]:
    """accelerate/utils/dataclasses.py:1507."""
    if facts.deepspeed_path is None:
        return
    section = facts.source.data.get("deepspeed_config")
    table = load_table("deepspeed-inline")
    for key, written in section.items() if isinstance(section, Mapping) else ():
        for row in table.by_key.get(f"deepspeed_config.{key}", ()):
            if row.conflicts_with_file and row.json is not None:
                yield _key(row, ("deepspeed_config", key), written, facts)
    given = facts.source.data.get("mixed_precision")
    if given is not None:
        yield _precision(("mixed_precision",), str(given).lower(), facts)
    elif facts.source.data.get("fp16") is True:
        yield _precision(("fp16",), "fp16", facts)


def _key(row: Row, path: Path, written: Any, facts: Facts) -> Beside:
    meant = None if written is None else coerce(row, written).intent
    assert row.json is not None
    answer, said = _of_the_json(row.json, _none(meant), facts)
    return Beside(path, "same" if written is None else answer, said, _as_json(row.json, meant))


def _of_the_json(key: str, meant: Any, facts: Facts) -> tuple[Answer, Any]:
    setting = facts.setting(key)
    if facts.deepspeed_file is None:
        return "lacking", None
    if setting is None or not setting.is_written:
        return ("same" if same(_none(setting.value if setting else None), meant) else "lacking"), None
    if setting.written == "auto" and meant != "auto":
        return ("other" if facts.context.consumer == "trainer" else "lacking"), "auto"
    return ("same" if same(_none(setting.intent), meant) else "other"), setting.written


def _precision(path: Path, given: str, facts: Facts) -> Beside:
    """The sections of the JSON against mixed_precision; fp8 has none, and trains with that of bf16."""
    section = "fp16" if given == "fp16" else "bf16"
    wanted = _as_json(f"{section}.enabled", given != "no")
    if facts.deepspeed_file is None:
        return Beside(path, "lacking", None, wanted)
    enabled = {name: s.written for name in _PRECISIONS if (s := facts.setting(f"{name}.enabled")) and s.is_written}
    on = next((name for name, written in enabled.items() if written is True), None)
    automatic = "auto" in enabled.values()
    if on is None and automatic and facts.context.consumer == "trainer":
        return Beside(path, "other", "auto", wanted)
    if given == "fp8":
        return Beside(path, "fp8", on, wanted)
    if on is None and given != "no":
        return Beside(path, "lacking", on, wanted)
    if on is None and automatic:
        return Beside(path, "auto", "auto", wanted)
    return Beside(path, "same" if (on or "no") == given else "other", on, wanted)


def _none(value: Any) -> Any:
    return None if value == "none" else value


def _as_json(key: str, value: Any) -> str:
    """`"zero_optimization": {"stage": 3}`; clipping at infinity is 0 there."""
    if isinstance(value, float) and math.isinf(value):
        value = 0.0
    for part in reversed(key.split(".")):
        value = {part: value}
    return json.dumps(value)[1:-1]


def _with(answer: Answer) -> Check:
    def check(facts: Facts) -> Iterator[Match]:
        for beside in _beside(facts):
            if beside.answer == answer:
                words = {"key": beside.path[-1], "said": show(beside.said), "wanted": beside.wanted}
                changes = () if answer in ("lacking", "fp8") else (Change("remove", beside.path),)
                yield Match(words, facts.place(beside.path, key=True), changes)

    return check


def two_precisions(facts: Facts) -> Iterator[Match]:
    """--mixed_precision of the command line against the JSON (accelerate/utils/dataclasses.py:1436)."""
    given, written = facts.context.mixed_precision, facts.setting("mixed_precision")
    if given in (None, "no") or (written is not None and written.is_written and written.written is not None):
        return
    other = "bf16" if given == "fp16" else "fp16"
    setting = facts.setting(f"{other}.enabled")
    if setting is not None and setting.is_written and str(setting.written).lower() == "true":
        yield Match({"given": given, "other": other}, setting.origin.place)


CHECKS: dict[str, Check] = {
    "next_to_file_same": _with("same"),
    "next_to_file_auto": _with("auto"),
    "next_to_file_other": _with("other"),
    "next_to_file_lacking": _with("lacking"),
    "next_to_file_fp8": _with("fp8"),
    "two_precisions": two_precisions,
}
