"""Findings as a code quality report of GitLab."""

from __future__ import annotations

from typing import Any

from fsds_convert.diagnostics import Severity
from fsds_convert.lint.outcome import Finding, Outcome
from fsds_convert.report.fingerprints import with_fingerprints
from fsds_convert.report.json_text import json_text
from fsds_convert.report.lint_places import relative
from fsds_convert.rules.catalog import catalog


def render(outcome: Outcome) -> str:
    """A list of issues; their fingerprints tell GitLab which ones are new."""
    return json_text([_issue(finding, fingerprint) for finding, fingerprint in with_fingerprints(outcome)])


def _issue(finding: Finding, fingerprint: str) -> dict[str, Any]:
    told = finding.diagnostic
    return {
        "type": "issue",
        "check_name": told.code,
        "description": f"{told.code}: {told.message}" + (f" ({told.note})" if told.note else ""),
        "severity": _severity(finding),
        "fingerprint": fingerprint,
        "location": {"path": relative(told.place.name), **_place(finding)},
    }


def _severity(finding: Finding) -> str:
    """A job that ends is worse than one that runs otherwise than it was asked to."""
    told = finding.diagnostic
    if told.severity is Severity.ERROR:
        return "blocker" if catalog()[told.code].outcome == "fails" else "major"
    return "minor" if told.severity is Severity.WARNING else "info"


def _place(finding: Finding) -> dict[str, Any]:
    span = finding.diagnostic.place.span
    if span is None:
        return {"lines": {"begin": 1, "end": 1}}
    return {
        "positions": {
            "begin": {"line": span.line, "column": span.column},
            "end": {"line": span.end_line, "column": span.end_column},
        }
    }
