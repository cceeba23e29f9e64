"""The line that a finding stands in, and the marks under it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fsds_convert.report.printable import printable_character
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Span

# characters of a line that are shown, and of those before the place where the line has more
_SHOWN = 120
_BEFORE = 40
_CUT = "..."
_TAB = "    "
_LINE = re.compile(r"[^\r\n]*")


@dataclass(frozen=True)
class Excerpt:
    """The number of the line, the line as a terminal can show it, and the marks under the place."""

    number: int
    line: str
    marks: str


def excerpt(source: Source, span: Span) -> Excerpt | None:
    """The first line of a place; None where the text has no such place."""
    start = span.start - span.column + 1
    found = _LINE.match(source.text, start) if 0 <= start <= len(source.text) else None
    if found is None:
        return None
    line = found.group()
    first = span.column - 1
    low = first - _BEFORE if len(line) > _SHOWN and first > _BEFORE else 0
    high = low + _SHOWN
    last = min(max(span.end - start, first + 1), high)
    before = (_CUT if low else "") + _shown(line[low:first])
    marked = _shown(line[first:last])
    behind = _shown(line[last:high]) + (_CUT if high < len(line) else "")
    return Excerpt(span.line, f"{before}{marked}{behind}".rstrip(), " " * _width(before) + "^" * max(_width(marked), 1))


def _shown(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(_TAB if character == "\t" else printable_character(character) for character in text)


def _width(text: str) -> int:
    """Columns on a terminal: East Asian characters and emoji take two, combining ones none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
