"""Findings as SARIF 2.1.0."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from fsds_convert import __version__
from fsds_convert.diagnostics import Severity
from fsds_convert.lint.outcome import Finding, Outcome
from fsds_convert.report.fingerprints import with_fingerprints
from fsds_convert.report.json_text import json_text
from fsds_convert.report.lint_places import (
    dotted,
    edits_with_spans,
    path_of,
    paths_by_span,
    relative,
    sources,
    span_of,
)
from fsds_convert.report.rule_help import rule_help
from fsds_convert.rules.catalog import catalog
from fsds_convert.rules.pages import page_url
from fsds_convert.rules.rule import Rule
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Path, Span

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
# by this GitHub sorts alerts
_ALERTS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}


def render(outcome: Outcome) -> str:
    """One run with the rules that spoke and their results."""
    codes = sorted({finding.diagnostic.code for finding in outcome.findings})
    texts, paths = sources(outcome), paths_by_span(outcome)
    results = [
        {
            "ruleId": finding.diagnostic.code,
            "ruleIndex": codes.index(finding.diagnostic.code),
            **_result(finding, path_of(finding, paths)),
            "partialFingerprints": {"fsds/v1": fingerprint},
            **_fixes(finding, texts.get(finding.diagnostic.place.name)),
        }
        for finding, fingerprint in with_fingerprints(outcome)
    ]
    rules = [_rule(catalog()[code]) for code in codes]
    run = {
        "tool": {"driver": {"name": "fsds", "semanticVersion": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": results,
    }
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> dict[str, Any]:
    help, url = rule_help(rule), page_url(rule.code)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": help, "markdown": help},
        **({"helpUri": url} if "://" in url else {}),  # SARIF takes no relative one
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"problem.severity": _ALERTS[rule.severity], "outcome": rule.outcome, "source": rule.source},
    }


def _result(finding: Finding, path: Path | None) -> dict[str, Any]:
    told = finding.diagnostic
    physical = {"artifactLocation": _artifact(told.place.name), "region": _region(span_of(finding))}
    logical = [{"name": str(path[-1]), "fullyQualifiedName": dotted(path), "kind": "property"}] if path else []
    return {
        "level": _LEVELS[told.severity],
        "message": {"text": "\n".join(text for text in (told.message, told.note, told.help) if text)},
        "locations": [{"physicalLocation": physical, **({"logicalLocations": logical} if logical else {})}],
    }


def _artifact(name: str) -> dict[str, str]:
    """A file below the working directory as a relative URI, any other one as it is."""
    known = relative(name)
    if os.path.isabs(known):
        return {"uri": PurePath(known).as_uri()}
    return {"uri": quote(os.fsencode(known), safe="/"), "uriBaseId": "%SRCROOT%"}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _fixes(finding: Finding, source: Source | None) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(span), "insertedContent": {"text": edit.text}}
        for edit, span in edits_with_spans(finding, source)
    ]
    if finding.mend is None or not replacements:
        return {}
    artifact = _artifact(finding.diagnostic.place.name)
    fix = {
        "description": {"text": finding.mend.message},
        "artifactChanges": [{"artifactLocation": artifact, "replacements": replacements}],
        "properties": {"applicability": "safe" if finding.mend.safe else "unsafe"},
    }
    return {"fixes": [fix]}
