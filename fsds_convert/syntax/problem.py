"""What is wrong with a text before any key has a meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fsds_convert.syntax.span import Path, Span

ProblemKind = Literal[
    "syntax",  # cannot be parsed
    "tab",  # the C parser of PyYAML takes the tab, the pure one of `yaml.safe_load` does not
    "template",  # `${X}`, `{{ x }}`, `{% if %}`, merge-conflict markers
    "encoding",  # not UTF-8, or a byte-order mark where upstream takes none
    "duplicate-key",
    "json-comment",
    "json-trailing-comma",
    "unknown-tag",  # `!foo`: safe_load constructs no such thing
    "bad-value",  # a date, number or tag that safe_load fails on
    "multiple-documents",
    "not-a-mapping",  # a list or a scalar at the top
    "empty",
    "too-deep",
    "too-large",  # more values than any config has
    "too-many-aliases",
    "recursive-alias",
]


_SHOWN = 60


@dataclass(frozen=True)
class SyntaxProblem:
    """One problem: what and where, what happens at run time, and what to write instead."""

    kind: ProblemKind
    message: str
    span: Span
    consequence: str
    remedy: str


def shown(text: str) -> str:
    """A piece of a text, short enough for a message."""
    line = text.partition("\n")[0]
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."


class Refused(Exception):
    """Ends the reading of a text, which then has no data."""

    def __init__(self, problem: SyntaxProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem


@dataclass(frozen=True, eq=False)
class Parsed:
    """What a parser makes of a text."""

    data: Any = None
    keys: Mapping[Path, Span] = field(default_factory=dict)
    values: Mapping[Path, Span] = field(default_factory=dict)
    problems: tuple[SyntaxProblem, ...] = ()
