"""An Accelerate YAML with other keys: the lines that are not translated stay byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fsds_convert.containers.scalar_text import scalar_text
from fsds_convert.containers.yaml_lines import Comments, Entry, comments, entries, lines_of
from fsds_convert.syntax.edits import detect_newline
from fsds_convert.syntax.source import Source

_TRANSLATED = ("fsdp_config", "deepspeed_config")


@dataclass(frozen=True)
class Changes:
    """What is to be different: top-level values, sections as a whole, and top-level keys to leave out.

    `successors` leads from the key of an old section to the key that carries on its comments.
    """

    top: Mapping[str, Any] = field(default_factory=dict)
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    removed: frozenset[str] = frozenset()
    successors: Mapping[str, str] = field(default_factory=dict)
    translated: str = ""

    def data(self, old: Mapping[Any, Any]) -> dict[Any, Any]:
        """The values that the new text has to give."""
        kept = {key: value for key, value in old.items() if str(key) not in self.removed}
        return {**kept, **self.top, **{name: dict(section) for name, section in self.sections.items()}}


def edited(source: Source, changes: Changes) -> str | None:
    """The text with the changes made in place; None where the file's shape does not allow it."""
    lines = lines_of(source)
    found = entries(source)
    if source.format != "yaml" or not found or any(entry.indent for entry in found):
        return None
    newline = detect_newline(source.text)
    if not lines[-1].endswith(("\n", "\r")):
        lines[-1] += newline
    places = {entry.name: entry for entry in found}
    edits: list[tuple[int, int, list[str]]] = []
    for name in changes.removed & set(places):
        edits.append((*_cut(lines, places[name], keeps_place=name in _TRANSLATED), []))
    behind = _behind(lines, places, changes)
    for name, section in changes.sections.items():
        block = _section(source, lines, places, name, section, changes, newline)
        if name in places:
            edits.append((*_span(lines, places[name]), block))
        else:
            at = behind if name == changes.translated else _place(lines, found, name)
            edits.append((at, at, block))
    for name, value in changes.top.items():
        entry = places.get(name)
        if entry is None:
            at = _place(lines, found, name)
            edits.append((at, at, [f"{name}: {scalar_text(value)}{newline}"]))
        else:
            edits.append((entry.first, entry.last, [_value_line(source, lines, entry, value, newline)]))
    return _spliced(lines, edits)


def _spliced(lines: list[str], edits: list[tuple[int, int, list[str]]]) -> str:
    """Edits by line numbers; at the same place in the order given."""
    for first, last, new in sorted(edits, key=lambda edit: (edit[0], edit[1]), reverse=True):
        lines[first:last] = new
    return "".join(lines)


def _span(lines: list[str], entry: Entry) -> tuple[int, int]:
    """The lines of an entry with the indented comments that follow it."""
    last = entry.last
    while last < len(lines) and lines[last].startswith((" ", "\t")) and lines[last].strip().startswith("#"):
        last += 1
    return entry.first, last


def _cut(lines: list[str], entry: Entry, *, keeps_place: bool) -> tuple[int, int]:
    """The lines to leave out, with one of two blank lines that would meet."""
    first, last = _span(lines, entry)
    blank_before = first == 0 or not lines[first - 1].strip()
    if not keeps_place and blank_before and last < len(lines) and not lines[last].strip():
        last += 1
    if not keeps_place and last == len(lines) and first > 0 and not lines[first - 1].strip():
        first -= 1
    return first, last


def _behind(lines: list[str], places: Mapping[str, Entry], changes: Changes) -> int:
    """Where the translated section goes when it has a new name: where the old one stood."""
    old = [places[name].first for name in _TRANSLATED if name in changes.removed and name in places]
    return min(old) if old else _place(lines, sorted(places.values(), key=lambda e: e.first), changes.translated)


def _place(lines: list[str], found: list[Entry], name: str) -> int:
    """The line for a new key: in a sorted file before the first key that sorts behind it, else at the end."""
    names = [entry.name for entry in found]
    behind = (entry.first for entry in found if entry.name > name and names == sorted(names))
    return next(behind, _span(lines, found[-1])[1])


def _value_line(source: Source, lines: list[str], entry: Entry, value: Any, newline: str) -> str:
    behind = comments_behind(source, lines, entry)
    return f"{entry.name}: {scalar_text(value)}{behind}{newline}"


def comments_behind(source: Source, lines: list[str], entry: Entry) -> str:
    """The comment on the line of a top-level key, with the blanks before it."""
    span = source.values.get((entry.name,))
    if span is None or span.line != span.end_line:
        span = source.keys[(entry.name,)]
    rest = lines[span.end_line - 1].rstrip("\r\n")[span.end_column - 1 :]
    plain = rest.removeprefix(":")
    return plain if plain.lstrip().startswith("#") else ""


def _section(
    source: Source,
    lines: list[str],
    places: Mapping[str, Entry],
    name: str,
    section: Mapping[str, Any],
    changes: Changes,
    newline: str,
) -> list[str]:
    old = name if name in places else None
    if old is None and name == changes.translated:
        old = next((other for other in _TRANSLATED if other in changes.removed and other in places), None)
    kept: dict[str, Comments] = {}
    indent = 2
    if old is not None and isinstance(source.data.get(old), dict):
        inside = entries(source, (old,))
        indent = max(1, inside[0].indent) if inside and inside[0].first > places[old].first else 2
        for key, said in comments(source, lines, places[old], (old,)).items():
            successor = changes.successors.get(key, key)
            kept.setdefault(successor, said)
    if not section:
        return [f"{name}: {{}}{newline}"]
    same_name = places.get(name)
    written = [f"{name}:{comments_behind(source, lines, same_name) if same_name else ''}{newline}"]
    for key, value in section.items():
        said = kept.get(key, Comments())
        written += [f"{' ' * indent}{comment}{newline}" if comment else newline for comment in said.above]
        text = _old_text(source, old, key, value) or scalar_text(value)
        written.append(f"{' ' * indent}{key}: {text}{said.behind}{newline}")
    return written + (lines[slice(same_name.last, _span(lines, same_name)[1])] if same_name else [])


def _old_text(source: Source, section: str | None, key: str, value: Any) -> str | None:
    """The value as it was written, where it stays the same."""
    if section is None or not isinstance(source.data.get(section), dict):
        return None
    old = source.data[section].get(key, object())
    span = source.values.get((section, key))
    if span is None or type(old) is not type(value) or old != value or span.line != span.end_line:
        return None
    text = source.raw((section, key))
    return text if not text.startswith(("&", "*", "!")) else None
