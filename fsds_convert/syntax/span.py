"""Where something stands in a text."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

# a key of YAML that is neither text nor a number (null, a date) stands in the path as it was read
Path = tuple[str | int, ...]

_LINE_BREAK = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Span:
    """Character offsets into the text, `end` excluded; lines and columns count from 1."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


START = Span(0, 0, 1, 1, 1, 1)


def lines_of(text: str) -> list[str]:
    """The lines without their ends; str.splitlines would also cut at form feeds and the like."""
    return _LINE_BREAK.split(text)


def before(text: str, offset: int) -> str:
    """What stands before the offset on its line."""
    return text[max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1 : offset]


class Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in _LINE_BREAK.finditer(text))]
        self._length = len(text)

    def line_of(self, offset: int) -> int:
        """The number of the line that the offset stands in."""
        return bisect_right(self._starts, offset)

    def start_of(self, line: int) -> int:
        """Where the line with a number begins."""
        return self._starts[line - 1]

    def point(self, offset: int) -> Span:
        """The empty span at an offset."""
        return self.span(offset, offset)

    def span(self, start: int, end: int) -> Span:
        """The span between two offsets, cut to the text."""
        start = min(start, self._length)
        end = min(max(start, end), self._length)
        line = bisect_right(self._starts, start)
        end_line = bisect_right(self._starts, end)
        first = self._starts[line - 1]
        last = self._starts[end_line - 1]
        return Span(start, end, line, start - first + 1, end_line, end - last + 1)
