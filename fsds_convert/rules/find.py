"""The findings of all rules in a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fsds_convert.diagnostics import Change, Diagnostic, Fix, Place
from fsds_convert.errors import TableError
from fsds_convert.rules.catalog import speaking
from fsds_convert.rules.checks import CHECKS
from fsds_convert.rules.conditions import holds
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.keys import path_of
from fsds_convert.rules.match import Match
from fsds_convert.rules.rule import Case, Outcome, Rule
from fsds_convert.settings.show import show

_WORD = re.compile(r"\{([\w.]+)\}")


def refused(facts: Facts) -> Iterator[Diagnostic]:
    """What upstream refuses: part of reading a file, whoever reads it."""
    return _findings(facts, ("fails",))


def advice(facts: Facts) -> Iterator[Diagnostic]:
    """What runs otherwise than it is written, and what is worth knowing: found when a file is linted."""
    return _findings(facts, ("differs", "advice"))


def _findings(facts: Facts, wanted: tuple[Outcome, ...]) -> Iterator[Diagnostic]:
    context = facts.context
    for rule, case in speaking(facts.container, facts.engine, wanted, context.consumer, context.versions):
        if holds(case, facts):
            matches = CHECKS[case.check](facts) if case.check else (Match(),)
            for match in matches:
                yield _diagnostic(rule, case, facts, match)


def _diagnostic(rule: Rule, case: Case, facts: Facts, match: Match) -> Diagnostic:
    message, note, help = (_filled(text, facts, match.words) for text in (case.message, case.note, case.help))
    place = match.place or _place(case, facts)
    changes = match.changes or _changes(case.fix or {}, facts)
    fix = Fix(help or message, changes, guess=bool((case.fix or {}).get("guess"))) if changes else None
    return Diagnostic(
        *(rule.code, rule.name, rule.severity, message, place, note, help),
        fix=fix if _all_in(place.name, changes, facts) else None,
        checked=rule.checked,
    )


def _place(case: Case, facts: Facts) -> Place:
    """The first key of `at` that is written, else the section of the first one, else the file."""
    for name in case.at:
        setting = facts.settings.get(name.removesuffix("*"))
        if setting is not None and setting.is_written and setting.origin.place is not None:
            if name.endswith("*") and setting.origin.place.name == facts.source.name and setting.origin.path:
                return facts.place(setting.origin.path, key=True)
            return setting.origin.place
    if not case.at:
        return Place(facts.source.name)
    return facts.place(path_of(case.at[0].removesuffix("*"), facts), key=True)


def _changes(fix: Mapping[str, Any], facts: Facts) -> tuple[Change, ...]:
    made = [Change("remove", path_of(key, facts)) for key in fix.get("remove", ()) if facts.written(key)]
    made += [Change("set", path_of(key, facts), value) for key, value in fix.get("set", {}).items()]
    made += [Change("rename", path_of(key, facts), name) for key, name in fix.get("rename", {}).items()]
    return tuple(made)


def _all_in(name: str, changes: Iterable[Change], facts: Facts) -> bool:
    """Whether the finding and its fix stand in the file that was read, and not in the one that it names."""
    if name != facts.source.name:
        return False
    elsewhere = {
        setting.origin.path
        for setting in facts.settings.values()
        if setting.origin.place is not None and setting.origin.place.name != name
    }
    return not any(change.path in elsewhere for change in changes)


def _filled(text: str, facts: Facts, words: Mapping[str, Any]) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name in words:
            return str(words[name])
        setting = facts.settings.get(name)
        if setting is not None:
            return show(setting.written if setting.is_written else setting.value)
        if facts.plan is not None and name.count(".") == 1:
            return show(facts.plan.get(name).value)
        raise TableError(f"a rule speaks of `{name}`, which is neither a key nor a word of its check")

    return _WORD.sub(value, text)
