"""A page: the same in Markdown, as plain text, and as data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ESCAPE = re.compile(r"\\([*<\\_`|])")


@dataclass(frozen=True)
class Page:
    """`markdown` ends with a line break; `data` is what json.dumps takes."""

    title: str
    markdown: str
    data: Mapping[str, Any]


def page(title: str, parts: Iterable[str], data: Mapping[str, Any]) -> Page:
    """A page of paragraphs, lists and tables below its title."""
    return Page(title, "\n\n".join([f"# {title}", *(part.rstrip("\n") for part in parts if part)]) + "\n", data)


def plain(markdown: str) -> str:
    """Markdown without its marks: for a pipe, a log or grep."""
    return "\n".join(_lines(markdown.rstrip("\n").split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    in_code, rows = False, []
    for line in [*lines, ""]:
        if line.startswith("|") and not in_code:
            rows.append([_words(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
            continue
        yield from _aligned(rows)
        rows = []
        if line.startswith("```"):
            in_code = not in_code
        elif in_code:
            yield f"    {line}".rstrip()
        else:
            yield _words(re.sub(r"^#+ ", "", line))


def _words(line: str) -> str:
    """Code spans keep their marks, which tell a key from a word."""
    parts = _LINK.sub(r"\1", line).split("`")
    return "`".join(part if n % 2 else _ESCAPE.sub(r"\1", part.replace("**", "")) for n, part in enumerate(parts))


def _aligned(rows: list[list[str]]) -> Iterator[str]:
    rows = [row for row in rows if not all(set(cell) == {"-"} for cell in row)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=False)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
