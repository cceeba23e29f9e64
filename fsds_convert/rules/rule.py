"""A rule: one row of a table of rules, with the cases in which it speaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fsds_convert.diagnostics import Severity
from fsds_convert.rules.pages import page_path
from fsds_convert.tables.row import Since

Outcome = Literal["fails", "differs", "advice"]


@dataclass(frozen=True)
class Case:
    """One way in which a rule speaks; every part that is given has to hold.

    `runs`: the effective value of a key is one of these, `writes`: the file holds the key with one of these, `lacks`:
    the file holds none of these keys, `plan`: as `runs` for fields of the plan. What values and tests are allowed
    stands in rules/conditions.py. `check` names a function of rules/checks, for what the others cannot say.
    `at` are keys, of which the first that is written is the place (`*` after it: the key, not its value).
    """

    containers: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    consumers: tuple[str, ...] = ()
    since: Since | None = None
    before: Since | None = None
    runs: Mapping[str, Any] = field(default_factory=dict)
    writes: Mapping[str, Any] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    plan: Mapping[str, Any] = field(default_factory=dict)
    check: str | None = None
    at: tuple[str, ...] = ()
    message: str = ""
    note: str = ""
    help: str = ""
    fix: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Rule:
    """`outcome`: upstream refuses it (`fails`), runs something else than is written (`differs`), or neither.

    A rule that `fails` speaks wherever a file is read; the others only when it is linted. `example` triggers the rule
    and `instead` does not: two files of the kind that `example_kind` names. `covers` are codes of findings that are not
    told next to this one, at the same place.
    """

    code: str
    name: str
    severity: Severity
    outcome: Outcome
    summary: str
    why: str
    source: str
    checked: str
    example: str | Mapping[str, str]
    instead: str | Mapping[str, str]
    example_kind: str = "yaml"
    example_options: Mapping[str, Any] = field(default_factory=dict)
    cases: tuple[Case, ...] = ()
    since: Since | None = None
    before: Since | None = None
    covers: tuple[str, ...] = ()
    table: str = ""

    @property
    def page(self) -> str:
        """The name of its page, as part of the address."""
        return page_path(self.code)
