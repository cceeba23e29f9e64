"""Each part of each case of a rule is held by a case file or a page: without it something else would be found."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from fsds_convert.errors import TableError
from fsds_convert.lint.check import check
from fsds_convert.rules.catalog import catalog
from fsds_convert.rules.checks import CHECKS
from fsds_convert.rules.conditions import holds
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.find import _diagnostic
from fsds_convert.rules.match import Match
from fsds_convert.rules.rule import Case, Rule
from fsds_convert.syntax.read_file import read_source
from tests.rules.case import Files

CASES = Path(__file__).parent / "cases"

# parts that say again what reading the file sees to: a value without effect is not what runs, and "auto" that nobody
# fills in neither; they make a row easier to read
_STAGE = "runs zero_optimization.stage"
EQUIVALENT = {
    *((code, 0, _STAGE) for code in ("FSDS311", "FSDS318", "FSDS525", "FSDS535", "FSDS536", "FSDS539", "FSDS542")),
    *((code, number, _STAGE) for code, number in (("FSDS509", 1), ("FSDS553", 0), ("FSDS720", 0), ("FSDS720", 1))),
    *(("FSDS543", number, "runs fp16.enabled") for number in (4, 5)),
    *(("FSDS208", number, "runs fsdp_config.fsdp_auto_wrap_policy") for number in (0, 1)),
    *((code, 0, "runs fsdp_config.fsdp_version") for code in ("FSDS231", "FSDS704")),
    ("FSDS232", 0, "runs fsdp_config.fsdp_state_dict_type"),
    ("FSDS308", 0, "writes deepspeed_config.zero3_init_flag"),
    ("FSDS504", 0, "consumers"),
    ("FSDS622", 0, "runs fsdp_config.version"),
    ("FSDS624", 0, "runs fsdp_config.auto_wrap_policy"),
    ("FSDS702", 0, "runs fsdp_config.fsdp_auto_wrap_policy"),
    ("FSDS702", 0, "runs fsdp_config.fsdp_transformer_layer_cls_to_wrap"),
    ("FSDS740", 0, "consumers"),
}


def _parts(case: Case) -> Iterator[tuple[str, Case]]:
    """The case without one of its parts, and the name of that part."""
    for name in ("since", "before"):
        if getattr(case, name) is not None:
            yield name, replace(case, **{name: None})
    for name in ("consumers", "check"):
        if getattr(case, name):
            yield name, replace(case, **{name: () if name == "consumers" else None})
    for name in ("runs", "writes", "plan"):
        held: dict[str, Any] = dict(getattr(case, name))
        for key in held:
            yield f"{name} {key}", replace(case, **{name: {other: held[other] for other in held if other != key}})
    for key in case.lacks:
        yield f"lacks {key}", replace(case, lacks=tuple(other for other in case.lacks if other != key))


def _told(cases: tuple[Case, ...], rule: Rule, facts: Facts) -> list[tuple[str, str, str]]:
    """What the cases find in a file, before another rule covers it."""
    context, found = facts.context, []
    for case in cases:
        if (
            (case.containers and facts.container not in case.containers)
            or (case.engines and facts.engine not in case.engines)
            or (case.consumers and context.consumer not in case.consumers)
            or (case.since is not None and not case.since.reached(context.versions))
            or (case.before is not None and case.before.reached(context.versions))
            or not holds(case, facts)
        ):
            continue
        try:
            matches = list(CHECKS[case.check](facts)) if case.check else [Match()]
            told = [_diagnostic(rule, case, facts, match) for match in matches]
        except (TableError, KeyError, TypeError, AttributeError) as error:  # a text or a check without what it rests on
            found.append((type(error).__name__, "", ""))
            continue
        found += [(str(each.place), each.message, f"{each.help} {each.fix}") for each in told]
    return found


@pytest.fixture(scope="module")
def facts_of(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Facts]]:
    """The files of each rule, as they are read."""
    before = Path.cwd()
    found = {code: list(_facts(rule, tmp_path_factory)) for code, rule in catalog().items() if rule.cases}
    os.chdir(before)
    return found


def _facts(rule: Rule, folders: pytest.TempPathFactory) -> Iterator[Facts]:
    held = yaml.safe_load((CASES / f"{rule.code}.yaml").read_text(encoding="utf-8"))
    files = [
        Files.of(case.get("fail", case.get("pass")), case.get("kind", "yaml"), case.get("options", {}))
        for name, case in held.items()
        if name != "rule"
    ]
    files += [Files.of(text, rule.example_kind, rule.example_options) for text in (rule.example, rule.instead) if text]
    for each in files:
        checked = check(read_source(each.write(folders.mktemp(rule.code))), each.context)
        if checked is not None and checked.facts is not None:
            _ = checked.facts.plan  # as long as the working directory is that of the file
            yield checked.facts


def test_conditions_are_held(facts_of: dict[str, list[Facts]]) -> None:
    free = set()
    for code, files in facts_of.items():
        rule = catalog()[code]
        for number, case in enumerate(rule.cases):
            for part, without in _parts(case):
                mutated = (*rule.cases[:number], without, *rule.cases[number + 1 :])
                if all(_told(mutated, rule, facts) == _told(rule.cases, rule, facts) for facts in files):
                    free.add((code, number, part))
    assert sorted(free - EQUIVALENT) == []
    assert sorted(EQUIVALENT - free) == [], "held after all"
