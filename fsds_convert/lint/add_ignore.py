"""`--add-ignore REASON`: a suppression for every finding that is there now."""

from __future__ import annotations

from dataclasses import dataclass

from fsds_convert.lint.outcome import FileReport
from fsds_convert.lint.suppressions import ABOUT_COMMENTS
from fsds_convert.rules.catalog import catalog
from fsds_convert.syntax.edits import Edit, apply, detect_newline
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Lines, Span, lines_of


@dataclass(frozen=True)
class Ignored:
    """The text with the comments, how many findings they suppress, and how many no comment can: those in JSON."""

    text: str
    added: int
    left: int


def add_ignore(report: FileReport, reason: str) -> Ignored:
    """A comment at the end of each line with findings, or above it where it ends in a comment already."""
    source = report.source
    told = [each.diagnostic for each in report.findings if catalog()[each.diagnostic.code].name not in ABOUT_COMMENTS]
    if source.format == "json":
        return Ignored(source.text, 0, len(told))
    by_line: dict[int, list[str]] = {}
    for found in told:
        if found.place.name == source.name:
            by_line.setdefault(_line(source, found.place.span), []).append(found.code)
    edits: dict[tuple[int, int], str] = {}
    for line in sorted(by_line):  # the comment for the whole file comes first
        edit = _comment(source, line, sorted(set(by_line[line])), reason)
        edits[edit.start, edit.end] = edits.get((edit.start, edit.end), "") + edit.text
    added = sum(map(len, by_line.values()))
    made = [Edit(start, end, text) for (start, end), text in edits.items()]
    return Ignored(apply(source.text, made), added, len(told) - added)


def _line(source: Source, span: Span | None) -> int:
    """The line that a comment can stand for; 0 is the whole file."""
    if span is None or span.end == 0 or _is_blank(lines_of(source.text)[span.line - 1]):
        return 0
    return span.line


def _is_blank(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _comment(source: Source, line: int, codes: list[str], reason: str) -> Edit:
    newline, listed = detect_newline(source.text), ", ".join(codes)
    if line == 0:
        return Edit(0, 0, f"# fsds: ignore-file[{listed}] {reason}{newline}")
    start, text = Lines(source.text).start_of(line), lines_of(source.text)[line - 1]
    comment = f"# fsds: ignore[{listed}] {reason}"
    if "#" in text or _goes_on(source, line):
        indent = text[: len(text) - len(text.lstrip())]
        return Edit(start, start, f"{indent}{comment}{newline}")
    return Edit(start + len(text), start + len(text), f"  {comment}")


def _goes_on(source: Source, line: int) -> bool:
    """Whether a value that is no mapping and no list begins on the line and ends on a later one."""
    return any(
        span.line <= line < span.end_line and not isinstance(source.at(path), (dict, list))
        for path, span in source.values.items()
    )
