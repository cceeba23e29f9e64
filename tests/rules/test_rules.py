"""Each file of `cases` holds the cases of one rule; a case is added without code.

rule: FSDS112
name_of_the_case:
  fail: |            # a text, or a mapping of names to texts of which the first is linted
    ...
  kind: yaml         # yaml, json, trainer-fsdp or trainer-args; the name of a single text
  options: {...}     # fields of Context; `versions` by package
  at: ["4:25"]       # the places of this rule's findings, `ds.json:3:5` in another file than the linted one
  says: ["..."]      # parts of message, note or help (all of them)
  fix: |             # the text after `--fix`, with only this rule selected
  unsafe_fix: |      # the text after `--fix --unsafe-fixes`, where `--fix` leaves the file as it is
name_of_another:
  pass: |
    ...
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fsds_convert.rules.catalog import catalog
from fsds_convert.rules.checks import CHECKS
from fsds_convert.rules.rule import Rule
from tests.rules.case import Files, of_code, place

CASES = Path(__file__).parent / "cases"
_KEYS = {"fail", "pass", "kind", "options", "at", "says", "fix", "unsafe_fix"}


def cases() -> list[Any]:
    found = []
    for path in sorted(CASES.glob("FSDS*.yaml")):
        held = yaml.safe_load(path.read_text(encoding="utf-8"))
        code = held.pop("rule")
        assert code == path.stem
        for name, case in held.items():
            assert set(case) <= _KEYS, f"{path.name}: {name}: {set(case) - _KEYS}"
            found.append(pytest.param(code, case, id=f"{code}-{name}"))
    return found


@pytest.fixture(autouse=True)
def _stay_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("code", "case"), cases())
def test_case(code: str, case: dict[str, Any], tmp_path: Path) -> None:
    files = Files.of(case.get("fail", case.get("pass")), case.get("kind", "yaml"), case.get("options", {}))
    found = of_code(files.lint(tmp_path), code)
    first = next(iter(files.texts))
    if "pass" in case:
        assert [str(finding.diagnostic) for finding in found] == []
        return
    assert [place(finding, first) for finding in found] == case["at"]
    for part in case.get("says", ()):
        assert any(part in "\n".join((f.diagnostic.message, f.diagnostic.note, f.diagnostic.help)) for f in found), part
    before = files.texts[first]
    safely = files.fix(tmp_path, code, unsafe=False).source.text
    assert safely == case.get("fix", before)
    fixed = files.fix(tmp_path, code, unsafe=True)
    assert fixed.source.text == case.get("unsafe_fix", safely)
    if fixed.fixed:
        assert not of_code(fixed, code)


@pytest.mark.parametrize("rule", catalog().values(), ids=lambda rule: rule.code)
def test_page_shows_the_rule(rule: Rule, tmp_path: Path) -> None:
    """The example of the page triggers the rule, and what stands instead triggers no error and not this rule."""
    example = Files.of(rule.example, rule.example_kind, rule.example_options)
    assert of_code(example.lint(tmp_path), rule.code), "the example does not trigger the rule"
    if rule.instead:
        remedy = Files.of(rule.instead, rule.example_kind, rule.example_options).lint(tmp_path)
        errors = [str(f.diagnostic) for f in remedy.findings if f.diagnostic.severity.value == "error"]
        assert errors == []
        assert [str(f.diagnostic) for f in of_code(remedy, rule.code)] == []


def test_every_rule_has_a_failing_and_a_passing_case() -> None:
    lacking = []
    for code in catalog():
        path = CASES / f"{code}.yaml"
        held = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}
        kinds = {kind for name, case in held.items() if name != "rule" for kind in ("fail", "pass") if kind in case}
        lacking += [f"{code}: no case with `{kind}`" for kind in ("fail", "pass") if kind not in kinds]
    assert lacking == []


def test_every_check_is_named_by_a_rule() -> None:
    named = {case.check for rule in catalog().values() for case in rule.cases if case.check}
    assert named == set(CHECKS)
