"""The lines of an Accelerate YAML by top-level key: what stands where, and which comments belong to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Path


@dataclass(frozen=True)
class Entry:
    """A key with its lines, numbered from 0; `last` is the line after its value. `indent` in columns."""

    name: str
    first: int
    last: int
    indent: int


@dataclass(frozen=True)
class Comments:
    """What a file says about a key: the comment lines above it, and the end of its own line from the value on."""

    above: tuple[str, ...] = ()
    behind: str = ""


def lines_of(source: Source) -> list[str]:
    """The text cut after each line break, breaks included."""
    return source.text.splitlines(keepends=True)


def entries(source: Source, at: Path = ()) -> list[Entry]:
    """The keys of one mapping that are written in it, in the order of the text; merged keys stand elsewhere."""
    inside = [path for path in source.keys if len(path) == len(at) + 1 and path[: len(at)] == at]
    return sorted((_entry(source, path) for path in inside), key=lambda entry: entry.first)


def _entry(source: Source, path: Path) -> Entry:
    key = source.keys[path]
    return Entry(str(path[-1]), key.line - 1, _last_line(source, path), key.column - 1)


def _last_line(source: Source, path: Path) -> int:
    """One past the last line of a value; a block mapping's own end mark lies behind trailing comments."""
    ends = [source.keys[path].end_line]
    for other, span in source.values.items():
        if other[: len(path)] == path and not (
            isinstance(_at(source, other), (dict, list)) and _is_block(source, other)
        ):
            ends.append(span.end_line if span.end_column > 1 or span.end_line == span.line else span.end_line - 1)
    return max(ends)


def _at(source: Source, path: Path) -> object:
    value = source.data
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _is_block(source: Source, path: Path) -> bool:
    return source.text[source.values[path].start : source.values[path].start + 1] not in ("{", "[")


def comments(source: Source, lines: list[str], section: Entry, at: Path) -> dict[str, Comments]:
    """The comments of each key in a section."""
    found = {}
    previous = section.first + 1
    for entry in entries(source, at):
        above = lines[previous : entry.first]
        value = source.values.get((*at, entry.name))
        behind = ""
        if value is not None and value.end_line == value.line:
            line = lines[value.line - 1].rstrip("\r\n")
            rest = line[value.end_column - 1 :]
            behind = rest if rest.lstrip().startswith("#") else ""
        found[entry.name] = Comments(tuple(_block(above)), behind)
        previous = entry.last
    return found


def _block(lines: Iterable[str]) -> list[str]:
    kept = [line.strip() for line in lines]
    while kept and not kept[0]:
        del kept[0]
    return [line for line in kept if not line or line.startswith("#")]
