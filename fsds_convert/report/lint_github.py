"""Findings as workflow commands, which GitHub shows as annotations."""

from __future__ import annotations

from fsds_convert.diagnostics import Severity
from fsds_convert.lint.outcome import Finding, Outcome
from fsds_convert.report.lint_places import relative
from fsds_convert.report.printable import printable, printable_lines

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(outcome: Outcome) -> str:
    """Errors before warnings before notices: GitHub shows the first ten of a kind."""
    kinds = list(_COMMANDS)
    found = sorted(outcome.findings, key=lambda finding: kinds.index(finding.diagnostic.severity))
    return "\n".join(_command(finding) for finding in found)


def _command(finding: Finding) -> str:
    told = finding.diagnostic
    properties = {"title": f"fsds ({told.code})", "file": relative(told.place.name), **_region(finding)}
    written = ",".join(f"{name}={_property(printable(value))}" for name, value in properties.items())
    # the place once more: the log of the step shows nothing but the message
    lines = [f"{printable(str(told.place))}: {told.code} {printable(told.message)}"]
    for label, text in (("note", told.note), ("help", told.help)):
        lines += [f"  {label}: {line}" for line in printable_lines(text) if line]
    return f"::{_COMMANDS[told.severity]} {written}::{_data(chr(10).join(lines))}"


def _region(finding: Finding) -> dict[str, str]:
    """GitHub takes no columns for a place of more than one line."""
    span = finding.diagnostic.place.span
    if span is None:
        return {}
    lines = {"line": str(span.line), "endLine": str(span.end_line)}
    if span.line != span.end_line:
        return lines
    return {"line": lines["line"], "col": str(span.column), **lines, "endColumn": str(span.end_column)}


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
