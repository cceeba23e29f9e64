"""Findings as a table for the summary of a workflow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsds_convert.lint.outcome import Finding, Outcome
from fsds_convert.report.lint_places import span_of
from fsds_convert.report.lint_summary import summary
from fsds_convert.report.printable import printable
from fsds_convert.rules.pages import ADDRESS, page_url

_CODE_SPAN = re.compile(r"(`+)(?:(?!`).)+\1(?!`)")
_SPECIAL = re.compile(r"([\\`*_\[\]<>|&~#])")


def render(outcome: Outcome) -> str:
    """A heading, the summary, and a row for each finding."""
    return "\n".join(_lines(outcome))


def _lines(outcome: Outcome) -> Iterator[str]:
    yield from ("## fsds lint", "", _prose(summary(outcome)))
    if outcome.findings:
        yield from ("", "| Severity | Rule | Place | Message | Fix |", "|---|---|---|---|---|")
    for finding in outcome.findings:
        told, span = finding.diagnostic, span_of(finding)
        message = "<br>".join(_prose(text) for text in (told.message, told.note) if text)
        place = _code(f"{told.place.name}:{span.line}:{span.column}")
        rule = f"[{told.code}]({page_url(told.code)})" if ADDRESS else told.code
        yield f"| {told.severity.value} | {rule} | {place} | {message} | {_fix(finding)} |"


def _fix(finding: Finding) -> str:
    mend = finding.mend
    if mend is None:
        return _prose(finding.diagnostic.help)
    return f"{_prose(mend.message)} ({'safe' if mend.safe else 'unsafe'})"


def _prose(text: str) -> str:
    """Text with its code spans, and nothing else that markdown would read."""
    line, parts, position = printable(text), [], 0
    for found in _CODE_SPAN.finditer(line):
        parts += [_SPECIAL.sub(r"\\\1", line[position : found.start()]), found.group().replace("|", "\\|")]
        position = found.end()
    return "".join([*parts, _SPECIAL.sub(r"\\\1", line[position:])])


def _code(text: str) -> str:
    """A code span with more backquotes around it than in it."""
    line = printable(text)
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    padding = " " if "`" in line else ""
    return f"{fence}{padding}{line}{padding}{fence}".replace("|", "\\|")
