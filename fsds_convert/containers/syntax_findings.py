"""Syntax problems as findings."""

from __future__ import annotations

from fsds_convert.diagnostics import Diagnostic, Fix, Place, finding
from fsds_convert.syntax.edits import Edit
from fsds_convert.syntax.problem import SyntaxProblem
from fsds_convert.syntax.source import Source
from fsds_convert.tables.versions import checked

_CHECKED = checked("accelerate/")

_KINDS = {
    "syntax": "syntax-error",
    "unknown-tag": "syntax-error",
    "bad-value": "syntax-error",
    "too-deep": "syntax-error",
    "too-large": "syntax-error",
    "recursive-alias": "syntax-error",
    "too-many-aliases": "syntax-error",
    "multiple-documents": "syntax-error",
    "not-a-mapping": "syntax-error",
    "empty": "syntax-error",
    "duplicate-key": "duplicate-key",
    "json-comment": "comment-in-json",
    "json-trailing-comma": "comment-in-json",
    "template": "template-left",
    "tab": "syntax-only-some-loaders-read",
    "encoding": "not-utf8",
}


def syntax_findings(source: Source) -> tuple[Diagnostic, ...]:
    """Each problem that the parser met, as a finding at its place."""
    return tuple(
        finding(
            _KINDS[problem.kind],
            problem.message,
            Place(source.name, problem.span),
            note=problem.consequence,
            help=problem.remedy,
            fix=_fix(source, problem),
            checked=_CHECKED,
        )
        for problem in source.problems
    )


def _fix(source: Source, problem: SyntaxProblem) -> Fix | None:
    """A comment in JSON with the blanks before it, or a comma too many, taken out."""
    start, end = problem.span.start, problem.span.end
    if problem.kind == "json-trailing-comma":
        return Fix(problem.remedy, edits=(Edit(start, end, ""),))
    if problem.kind != "json-comment":
        return None
    before = source.text[:start].rpartition("\n")[2]
    if before.strip():
        return Fix(problem.remedy, edits=(Edit(start - (len(before) - len(before.rstrip())), end, ""),))
    line_end = source.text.startswith(("\n", "\r\n"), end)
    behind = (1 if source.text.startswith("\n", end) else 2) if line_end else 0
    return Fix(problem.remedy, edits=(Edit(start - (len(before) if line_end else 0), end + behind, ""),))
