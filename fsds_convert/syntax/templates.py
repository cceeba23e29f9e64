"""Templates that nobody has filled in: `${X}`, `{{ x }}`, `{% if %}`, merge-conflict markers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping

from fsds_convert.syntax.problem import SyntaxProblem, shown
from fsds_convert.syntax.span import Lines, Path, Span

_TEMPLATE = re.compile(r"\$\{[^{}\n]*\}|\{\{.{0,200}?\}\}|\{%.{0,200}?%\}")
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?: .*)?$", re.MULTILINE)


def unfilled(text: str, lines: Lines, keys: Mapping[Path, Span], values: Mapping[Path, Span]) -> list[SyntaxProblem]:
    """Templates in keys and scalars of a text that loads; those in comments do no harm."""
    if not any(opening in text for opening in ("${", "{{", "{%")):
        return []
    parents = {path[:-1] for path in values if path}
    scalars = sorted(
        {(span.start, span.end) for path, span in values.items() if path not in parents}
        | {(span.start, span.end) for span in keys.values()}
    )
    problems = []
    for found in _TEMPLATE.finditer(text):
        at = bisect_right(scalars, (found.start(), len(text))) - 1
        if at >= 0 and found.end() <= scalars[at][1]:
            consequence = "no loader fills it in: the value is taken as it is written"
            problems.append(_problem(found, lines, consequence))
    return problems


def cause(text: str, lines: Lines, failure: SyntaxProblem) -> SyntaxProblem | None:
    """The template, or merge conflict, that a text cannot be parsed for."""
    conflict = _CONFLICT.search(text)
    if conflict is not None and conflict.group().startswith("<") and ">>>>>>>" in text:
        message = "a merge conflict that is not resolved"
        span = lines.span(*conflict.span())
        return SyntaxProblem("template", message, span, failure.consequence, "keep one side and remove the markers")
    for found in _TEMPLATE.finditer(text):
        if lines.line_of(found.start()) == failure.span.line:
            return _problem(found, lines, failure.consequence)
    return None


def _problem(found: re.Match[str], lines: Lines, consequence: str) -> SyntaxProblem:
    message = f"`{shown(found.group())}` is a template that is not filled in"
    return SyntaxProblem("template", message, lines.span(*found.span()), consequence, "write the value itself")
