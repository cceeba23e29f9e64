"""Pieces of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from fsds_convert.report.values import shown

# what would be taken as markup outside of a code span: emphasis and tags
_MARKUP = re.compile(r"[*<\\]|(?<!\w)_|_(?!\w)")


def prose(text: str) -> str:
    """A note of a table as a paragraph: one line, nothing in it taken as markup but its code spans."""
    parts = " ".join(str(text).split()).split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner
        return _escaped("`".join(parts)).replace("`", "\\`")
    return "".join(f"`{part}`" if n % 2 else _escaped(part) for n, part in enumerate(parts))


def _escaped(text: str) -> str:
    return _MARKUP.sub(lambda found: "\\" + found.group(), text)


def code(value: Any) -> str:
    """A value as a code span, as users write it."""
    text = shown(value)
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def codes(values: Iterable[Any]) -> str:
    """`a`, `b`, `c`."""
    return ", ".join(code(value) for value in values)


def anchor(*names: str) -> str:
    """The id of a heading."""
    return "-".join(names)


def heading(level: int, text: str, *names: str) -> str:
    """A heading that links can name, whatever the renderer makes of its text."""
    return f'{"#" * level} <a id="{anchor(*names)}"></a>{text}\n'


def link(text: str, *names: str) -> str:
    """A link to a heading of the page."""
    return f"[{text}](#{anchor(*names)})"


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A table, with a blank line after it."""
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in rows:
        cells = (cell.replace("|", "\\|") for cell in row)
        yield f"| {' | '.join(cells)} |"
    yield ""


def link_to(text: str, file: str) -> str:
    """A link to another page."""
    return f"[{text}]({file})"
