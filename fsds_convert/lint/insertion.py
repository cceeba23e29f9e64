"""Where a key that is not there yet is written, and how."""

from __future__ import annotations

import json
import re
from typing import Any

from fsds_convert.containers.scalar_text import scalar_text
from fsds_convert.diagnostics import Change
from fsds_convert.syntax.edits import Edit, detect_newline
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Path, before

_LINE = re.compile(r"[^\r\n]*")
_COMMENT = re.compile(r"(?P<comma>[ \t]*,)?[ \t]*(?:#|//)[^\r\n]*")


def insertion(source: Source, change: Change) -> Edit:
    """The edit that adds the key; raises KeyError where the section around it is no mapping written in the file."""
    path, value = change.path, change.value
    if path in source.values:  # a section with nothing in it
        return _filled(source, path, value)
    section = path[:-1]
    while section and section not in source.values:  # a section that is not there yet comes with its key
        path, value = section, {path[-1]: value}
        section = path[:-1]
    span = source.values[section]
    holder = source.at(section)
    if not isinstance(holder, dict):
        raise KeyError(section)
    if source.text[span.start : span.start + 1] == "{":
        return _into_braces(source, section, str(path[-1]), value, holder)
    return _behind_last(source, section, str(path[-1]), value)


def _members(source: Source, section: Path) -> list[Path]:
    inside = [path for path in source.keys if len(path) == len(section) + 1 and path[:-1] == section]
    return sorted(inside, key=lambda path: source.keys[path].start)


def _into_braces(source: Source, section: Path, name: str, value: Any, holder: dict[Any, Any]) -> Edit:
    span = source.values[section]
    quoted = source.format == "json"
    text = f'"{name}": {json.dumps(value, ensure_ascii=False)}' if quoted else f"{name}: {scalar_text(value)}"
    members = _members(source, section)
    if not holder or not members:
        return Edit(span.start, span.end, "{" + text + "}")
    last = max(source.values[path].end for path in members)
    first = source.keys[members[0]]
    line = before(source.text, first.start)
    comment = _COMMENT.match(source.text, last)  # of the last key: the new one goes below it
    if comment is None and (line.strip() or "\n" not in source.text[span.start : first.start]):
        return Edit(last, last, f", {text}")
    newline = detect_newline(source.text)
    if comment is None:
        return Edit(last, last, f",{newline}{line}{text}")
    above = before(source.text, source.keys[members[-1]].start)
    indent = above[: len(above) - len(above.lstrip())]
    return Edit(last, comment.end(), f"{'' if comment['comma'] else ','}{comment[0]}{newline}{indent}{text}")


def _behind_last(source: Source, section: Path, name: str, value: Any) -> Edit:
    """On a line of its own, below the last key of the section, with its indentation."""
    members = _members(source, section)
    if not members:
        raise KeyError(section)
    column = source.keys[members[0]].column - 1
    end = max(
        span.end
        for path, span in source.values.items()
        if path[: len(section)] == section and len(path) > len(section) and not _block(source, path)
    )
    return _new_line(source, end, " " * column, name, value)


def _block(source: Source, path: Path) -> bool:
    text = source.text[source.values[path].start : source.values[path].start + 1]
    return isinstance(source.at(path), (dict, list)) and text not in ("{", "[")


def _new_line(source: Source, end: int, indent: str, name: str, value: Any) -> Edit:
    newline = detect_newline(source.text)
    if source.text[:end].endswith(("\n", "\r")):
        at, ahead, behind = end, "", newline
    else:
        line = _LINE.match(source.text, end)
        at, ahead, behind = (line.end() if line else end), newline, ""
    return Edit(at, at, ahead + _lines(indent, name, value, newline) + behind)


def _lines(indent: str, name: str, value: Any, newline: str) -> str:
    if isinstance(value, dict) and value:
        below = newline.join(_lines(f"{indent}  ", key, inner, newline) for key, inner in value.items())
        return f"{indent}{scalar_text(name)}:{newline}{below}"
    return f"{indent}{scalar_text(name)}: {scalar_text(value)}"


def _filled(source: Source, section: Path, values: dict[Any, Any]) -> Edit:
    """`section:` with nothing, with null or with `{}` behind it."""
    key, span = source.keys[section], source.values[section]
    if source.format == "json" or "{" in before(source.text, key.start):
        text = json.dumps(values, ensure_ascii=False) if source.format == "json" else scalar_text(values)
        return Edit(span.start, span.end, text)
    newline = detect_newline(source.text)
    indent = " " * (key.column - 1 + 2)
    colon = source.text.index(":", key.end) + 1
    lines = newline.join(_lines(indent, str(name), value, newline) for name, value in values.items())
    return Edit(colon, max(colon, span.end), newline + lines)
