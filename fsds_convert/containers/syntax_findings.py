"""Syntax problems as findings."""

from __future__ import annotations

from fsds_convert.diagnostics import Diagnostic, Place, finding
from fsds_convert.syntax.source import Source

_KINDS = {
    "syntax": "syntax-error",
    "unknown-tag": "syntax-error",
    "too-deep": "syntax-error",
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
        )
        for problem in source.problems
    )
