"""Changes to the mapping that a file holds -> edits of its text; everything else stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from fsds_convert.diagnostics import Change
from fsds_convert.lint.changed_data import changed
from fsds_convert.lint.insertion import insertion
from fsds_convert.lint.value_text import key_text, value_text
from fsds_convert.syntax.edits import Edit, apply
from fsds_convert.syntax.json_text import parse_json
from fsds_convert.syntax.problem import Parsed
from fsds_convert.syntax.source import Format, Source
from fsds_convert.syntax.span import Path, Span
from fsds_convert.syntax.yaml_text import parse_yaml

_COMMA_BEFORE = re.compile(r",\s*$")
_COMMA_BEHIND = re.compile(r"\s*,[ \t]*")
_REST_OF_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")


def edits_of(source: Source, changes: Iterable[Change]) -> tuple[Edit, ...] | None:
    """The edits that make the changes; None where the text does not allow them.

    The new text is parsed, and has to hold just what the changes ask for.
    """
    made = tuple(changes)
    return _at_once(source, made) or (_one_by_one(source, made) if len(made) > 1 else None)


def _one_by_one(source: Source, made: tuple[Change, ...]) -> tuple[Edit, ...] | None:
    """One edit from the first character to the last that the changes touch: for those that meet at one place."""
    now = source
    for change in sorted(made, key=lambda change: change.action == "remove"):  # so that no section is empty between
        edits = _at_once(now, (change,))
        if edits is None:
            return None
        text = apply(now.text, edits)
        parsed = _parsed(text, source.format)
        now = replace(now, text=text, data=parsed.data, keys=parsed.keys, values=parsed.values)
    old, new = source.text, now.text
    same = _shared(old, new)
    behind = _shared(old[same:][::-1], new[same:][::-1])
    return (Edit(same, len(old) - behind, new[same : len(new) - behind]),)


def _shared(left: str, right: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(left), len(right)))


def _parsed(text: str, format: Format) -> Parsed:
    return parse_json(text) if format == "json" else parse_yaml(text)


def _at_once(source: Source, made: tuple[Change, ...]) -> tuple[Edit, ...] | None:
    try:
        wanted = changed(source.data, made)
        edits = _joined(edit for change in _by_section(source, made) for edit in _edits(source, change))
        text = apply(source.text, edits)
    except (KeyError, IndexError, TypeError, ValueError):
        return None
    return edits if _same(_parsed(text, source.format).data, wanted) else None


def _same(left: Any, right: Any) -> bool:
    """Equality in values and their types, and in the order of the keys but for what was inserted."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return type(left) is type(right) and (left == right or left != left)


def _by_section(source: Source, changes: tuple[Change, ...]) -> Iterator[Change]:
    """Keys that are set in one section that is not there yet, or is empty, are written as that section.

    A section that loses all its keys becomes `{}`.
    """
    new: dict[Path, dict[Any, Any]] = {}
    emptied = {change.path[:-1] for change in changes if change.path[:-1]} - {
        path[:-1] for path in source.keys if Change("remove", path) not in changes
    }
    for change in changes:
        section = change.path[:-1]
        if section in emptied and change.action == "remove" and "<<" not in source.raw(section):
            new.setdefault(section, {})
            continue
        if change.action == "set" and section and (section not in source.values or not source.at(section)):
            new.setdefault(section, {})[change.path[-1]] = change.value
        else:
            yield change
    for section, values in new.items():
        yield Change("set", section, values)


def _joined(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Insertions at one place become one, in the order given."""
    joined: list[Edit] = []
    for edit in edits:
        same = next((i for i, old in enumerate(joined) if old.start == old.end == edit.start == edit.end), None)
        if same is None:
            joined.append(edit)
        else:
            joined[same] = Edit(edit.start, edit.end, joined[same].text + edit.text)
    return tuple(sorted(joined))


def _edits(source: Source, change: Change) -> Iterator[Edit]:
    if change.action == "rename":
        span = source.keys[change.path]
        yield Edit(span.start, span.end, key_text(change.value, source.text[span.start : span.end], source.format))
    elif change.action == "remove":
        yield _removal(source, change.path)
    elif change.path in source.values and change.path in source.keys and not _grows(source, change):
        yield _replacement(source, change)
    else:
        yield insertion(source, change)


def _grows(source: Source, change: Change) -> bool:
    """A section with nothing in it yet that gets keys."""
    return isinstance(change.value, dict) and bool(change.value) and not source.at(change.path)


def _replacement(source: Source, change: Change) -> Edit:
    span = source.values[change.path]
    text = value_text(change.value, source.text[span.start : span.end], source.format)
    key = source.keys[change.path]
    between = source.text[key.end : span.start]
    if span.line > key.end_line and not between.strip(": \t\r\n"):  # a block below its key
        return Edit(key.end + between.index(":") + 1, span.start + len(_trimmed(source, span)), f" {text}")
    if span.start == span.end:  # `key:` with nothing behind it
        text = f" {text}" if not source.text[: span.start].endswith(" ") else text
    return Edit(span.start, span.end, text)


def _trimmed(source: Source, span: Span) -> str:
    """A block mapping's or list's own end mark lies behind trailing blank lines."""
    return source.text[span.start : span.end].rstrip()


def _removal(source: Source, path: Path) -> Edit:
    """A key with its value: its lines in a block, else the part between the commas."""
    start, end = source.keys[path].start, _end(source, path)
    before = source.text[:start]
    if source.format == "yaml" and _alone(before):
        return Edit(len(before) - len(before.rpartition("\n")[2]), _end_of_lines(source, path), "")
    behind = _COMMA_BEHIND.match(source.text, end)
    if behind is None:
        comma = _COMMA_BEFORE.search(before)
        return Edit(comma.start() if comma else start, end, "")
    rest = source.text[behind.end() :]
    if source.format == "json" and _alone(before) and rest.startswith(("\n", "\r")):
        line_start = len(before) - len(before.rpartition("\n")[2])
        line = _REST_OF_LINE.match(source.text, behind.end())
        return Edit(line_start, line.end() if line else behind.end(), "")
    return Edit(start, behind.end(), "")


def _alone(before: str) -> bool:
    """Whether nothing but blanks stands before it on its line."""
    return not before.rpartition("\n")[2].strip()


def _end(source: Source, path: Path) -> int:
    """Where the value ends: a block mapping's own end mark lies behind trailing comments."""
    ends = [source.keys[path].end]
    for other, span in source.values.items():
        if other[: len(path)] == path and not _is_block(source, other):
            ends.append(span.end)
    return max(ends)


def _is_block(source: Source, path: Path) -> bool:
    span = source.values[path]
    return isinstance(source.at(path), (dict, list)) and source.text[span.start : span.start + 1] not in (
        "{",
        "[",
    )


def _end_of_lines(source: Source, path: Path) -> int:
    end = _end(source, path)
    if source.text[:end].endswith(("\n", "\r")):  # a block scalar ends behind its last line
        return end
    rest = _REST_OF_LINE.match(source.text, end)
    return rest.end() if rest else end
