"""`--add-ignore REASON`: a suppression for every finding that is there now."""

from __future__ import annotations

from dataclasses import dataclass

from fsds_convert.lint.outcome import FileReport
from fsds_convert.syntax.edits import Edit, apply, detect_newline
from fsds_convert.syntax.source import Source


@dataclass(frozen=True)
class Ignored:
    """The text with the comments, how many findings they suppress, and how many no comment can: those in JSON."""

    text: str
    added: int
    left: int


def add_ignore(report: FileReport, reason: str) -> Ignored:
    """A comment at the end of each line with findings, or above it where it ends in a comment already."""
    source = report.source
    told = [finding.diagnostic for finding in report.findings]
    if source.format == "json":
        return Ignored(source.text, 0, len(told))
    by_line: dict[int, list[str]] = {}
    for found in told:
        if found.place.name == source.name:
            by_line.setdefault(found.place.span.line if found.place.span else 0, []).append(found.code)
    edits = [_comment(source, line, sorted(set(codes)), reason) for line, codes in by_line.items()]
    added = sum(map(len, by_line.values()))
    return Ignored(apply(source.text, edits), added, len(told) - added)


def _comment(source: Source, line: int, codes: list[str], reason: str) -> Edit:
    newline, listed = detect_newline(source.text), ", ".join(codes)
    if line == 0:
        return Edit(0, 0, f"# fsds: ignore-file[{listed}] {reason}{newline}")
    lines = source.text.splitlines(keepends=True)
    start = sum(map(len, lines[: line - 1]))
    text = lines[line - 1].rstrip("\r\n")
    comment = f"# fsds: ignore[{listed}] {reason}"
    if "#" in text or _goes_on(source, line):
        indent = text[: len(text) - len(text.lstrip())]
        return Edit(start, start, f"{indent}{comment}{newline}")
    return Edit(start + len(text), start + len(text), f"  {comment}")


def _goes_on(source: Source, line: int) -> bool:
    """Whether a text that is no mapping begins on the line and ends on a later one."""
    return any(
        span.line <= line < span.end_line and source.text[span.start : span.start + 1] in tuple("\"'|>")
        for span in source.values.values()
    )
