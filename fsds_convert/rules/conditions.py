"""Whether a case of a rule holds for a file.

A test is a list of values (one of them), or a mapping: `not` (none of these values), `above` and `below` (a number),
`type` (text, number, boolean, null, list, mapping), `matches` (a regular expression over the whole text). `any` stands
for every value. True is not 1.
"""

from __future__ import annotations

import re
from typing import Any

from fsds_convert.rules.facts import Facts
from fsds_convert.rules.rule import Case
from fsds_convert.settings.setting import same

_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "list": (list, tuple),
    "mapping": (dict,),
}


def holds(case: Case, facts: Facts) -> bool:
    """Whether the settings and the plan are such as the case says; for whom and when it holds was asked before."""
    settings = facts.settings
    for key, test in case.writes.items():
        setting = settings.get(key)
        if setting is None or not setting.is_written or not passes(test, setting.written):
            return False
    for key, test in case.runs.items():
        setting = settings.get(key)
        # of a value that upstream refuses its own rule speaks, and what is meant is not known
        if setting is None or setting.doubtful or not passes(test, setting.value):
            return False
    if any(facts.written(key) for key in case.lacks):
        return False
    return all(facts.plan is not None and passes(test, facts.plan.get(path).value) for path, test in case.plan.items())


def passes(test: Any, value: Any) -> bool:
    """Whether a value passes a test of a table."""
    if test == "any":
        return True
    if isinstance(test, list):
        return value in test and any(same(value, allowed) for allowed in test)
    return all(_passes(word, wanted, value) for word, wanted in test.items())


def _passes(word: str, wanted: Any, value: Any) -> bool:
    if word == "not":
        return not any(same(value, refused) for refused in wanted)
    if word == "type":
        kinds = (wanted,) if isinstance(wanted, str) else wanted
        return any(_is(kind, value) for kind in kinds)
    if word == "matches":
        return re.fullmatch(wanted, str(value)) is not None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return bool(value > wanted) if word == "above" else bool(value < wanted)


def _is(kind: str, value: Any) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
