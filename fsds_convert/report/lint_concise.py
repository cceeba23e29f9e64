"""Findings for editors and logs: one line each."""

from __future__ import annotations

from fsds_convert.lint.outcome import Finding, Outcome
from fsds_convert.report.colours import painted
from fsds_convert.report.lint_places import span_of
from fsds_convert.report.printable import printable


def render(outcome: Outcome, *, colour: bool) -> str:
    """`path:line:column: CODE message`; `[*]` before the message says that --fix mends it."""
    return "\n".join(_line(finding, colour) for finding in outcome.findings)


def _line(finding: Finding, colour: bool) -> str:
    told, span = finding.diagnostic, span_of(finding)
    name = painted(printable(told.place.name), "strong", colour)
    code = painted(told.code, told.severity.value, colour)
    mended = "[*] " if finding.mend and finding.mend.safe else ""
    return f"{name}:{span.line}:{span.column}: {code} {mended}{printable(told.message)}"
