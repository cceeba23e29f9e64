"""Findings for people: each with its line, its consequence at run time, and its mend."""

from __future__ import annotations

from collections.abc import Iterator

from fsds_convert.lint.outcome import Finding, Outcome
from fsds_convert.report.colours import Style, painted
from fsds_convert.report.excerpt import excerpt
from fsds_convert.report.lint_places import sources
from fsds_convert.report.printable import printable, printable_lines
from fsds_convert.syntax.source import Source


def render(outcome: Outcome, *, colour: bool) -> str:
    """A block of lines for each finding, with an empty line between them."""
    texts = sources(outcome)
    blocks = (_block(finding, texts.get(finding.diagnostic.place.name), colour) for finding in outcome.findings)
    return "\n\n".join("\n".join(block) for block in blocks)


def _block(finding: Finding, source: Source | None, colour: bool) -> Iterator[str]:
    told = finding.diagnostic
    style: Style = told.severity.value
    place = told.place.span
    shown = excerpt(source, place) if source is not None and place is not None else None
    margin = " " * len(str(shown.number if shown else 1))
    bar = painted("|", "frame", colour)
    title = painted(f"{style}[{told.code}]", style, colour)
    yield title + painted(f": {printable(told.message)}", "strong", colour)
    yield f"{margin}{painted('-->', 'frame', colour)} {printable(str(told.place))}"
    if shown:
        yield f"{margin} {bar}"
        yield f"{painted(str(shown.number), 'frame', colour)} {bar} {shown.line}".rstrip()
        marks = shown.marks.lstrip(" ")
        yield f"{margin} {bar} {' ' * (len(shown.marks) - len(marks))}{painted(marks, style, colour)}"
    for label, text in _remarks(finding):
        first, *others = printable_lines(text)
        yield f"{margin} {painted('=', 'frame', colour)} {painted(f'{label}:', 'strong', colour)} {first}"
        yield from (f"{margin}   {line}".rstrip() for line in others)


def _remarks(finding: Finding) -> Iterator[tuple[str, str]]:
    told, mend = finding.diagnostic, finding.mend
    if told.note or told.checked:
        checked = f"checked with {told.checked}" if told.checked else ""
        yield "note", f"{told.note} ({checked})" if told.note and checked else told.note or checked
    if told.help:
        yield "help", told.help
    if mend is not None:
        how = "safe, made by --fix" if mend.safe else "unsafe, made by --fix --unsafe-fixes"
        yield "fix", how if mend.message == told.help else f"{mend.message} ({how})"
