"""Findings for programs."""

from __future__ import annotations

from typing import Any

from fsds_convert.diagnostics import Severity
from fsds_convert.lint.outcome import Finding, Outcome
from fsds_convert.report.json_text import json_text
from fsds_convert.report.lint_places import edits_with_spans, sources
from fsds_convert.rules.pages import page_url
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Span


def render(outcome: Outcome) -> str:
    """One object. Rows and columns count characters from 1, the end of a place is excluded."""
    texts = sources(outcome)
    document = {
        "format_version": "1.0",
        "valid": outcome.count(Severity.ERROR) == 0,
        "error_count": outcome.count(Severity.ERROR),
        "warning_count": outcome.count(Severity.WARNING),
        "info_count": outcome.count(Severity.INFO),
        "fixed": sum(len(report.fixed) for report in outcome.files),
        "suppressed": sum(report.suppressed for report in outcome.files),
        "skipped": outcome.skipped,
        "diagnostics": [_diagnostic(each, texts.get(each.diagnostic.place.name)) for each in outcome.findings],
    }
    return json_text(document)


def _diagnostic(finding: Finding, source: Source | None) -> dict[str, Any]:
    told = finding.diagnostic
    return {
        "code": told.code,
        "name": told.name,
        "severity": told.severity.value,
        "message": told.message,
        "note": told.note,
        "help": told.help,
        "checked": told.checked,
        "url": page_url(told.code),
        "filename": told.place.name,
        **_ends(told.place.span),
        "fix": _fix(finding, source),
    }


def _ends(span: Span | None) -> dict[str, Any]:
    """None for a finding about the whole file."""
    if span is None:
        return {"location": None, "end_location": None}
    return {
        "location": {"row": span.line, "column": span.column},
        "end_location": {"row": span.end_line, "column": span.end_column},
    }


def _fix(finding: Finding, source: Source | None) -> dict[str, Any] | None:
    if finding.mend is None:
        return None
    edits = [{"content": edit.text, **_ends(span)} for edit, span in edits_with_spans(finding, source)]
    applicability = "safe" if finding.mend.safe else "unsafe"
    return {"applicability": applicability, "message": finding.mend.message, "edits": edits}
