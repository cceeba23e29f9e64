"""What will really run, setting by setting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsds_convert.containers.reading import Reading
from fsds_convert.report.findings import finding_json, finding_lines
from fsds_convert.report.values import plain, shown, shown_field, shown_key
from fsds_convert.settings.setting import Setting

_WIDEST = 60
_HEADER = ("setting", "runs", "written", "from")


def effective_lines(reading: Reading, *, everything: bool) -> Iterator[str]:
    """Findings, then a line for each plan field; `!` marks those that run something else than is written.

    Without `everything`, the keys that have no plan field are shown only where they are written.
    """
    yield from finding_lines(reading.findings)
    yield f"{reading.source.name}: {reading.dialect}" + ("" if reading.launches else ", which does not launch as it is")
    rows = [_HEADER, *(_cells(path, setting) for path, setting in _settings(reading, everything))]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row, mark in zip(rows, [" ", *_marks(reading, everything)], strict=True):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        yield f"{mark} {'  '.join(cells)}  {row[3]}".rstrip()


def _settings(reading: Reading, everything: bool) -> list[tuple[str, Setting[Any]]]:
    only = {key: setting for key, setting in reading.settings.items() if everything} | dict(reading.runs.engine_only)
    fields = list(reading.runs.items())
    used = {setting.key for _, setting in fields}
    return [*fields, *((key, setting) for key, setting in only.items() if setting.key not in used)]


def _marks(reading: Reading, everything: bool) -> list[str]:
    return ["!" if setting.differs else " " for _, setting in _settings(reading, everything)]


def _cells(path: str, setting: Setting[Any]) -> tuple[str, str, str, str]:
    written = f"{shown_key(setting.key)}: {shown(setting.written)}" if setting.is_written else "-"
    note = f" ({setting.note})" if setting.note and (setting.differs or not setting.is_written) else ""
    return path, _cut(shown_field(path, setting.value)), _cut(written), f"{setting.origin}{note}"


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def effective_json(reading: Reading) -> dict[str, Any]:
    """The plan that runs, and every effective setting of the engine by its key."""
    return {
        "format_version": "1",
        "file": reading.source.name,
        "dialect": reading.dialect,
        "engine": reading.engine,
        "launches": reading.launches,
        "plan": {path: _json(setting) for path, setting in reading.runs.items()},
        "settings": {key: _json(setting) for key, setting in reading.settings.items()},
        "findings": [finding_json(found) for found in reading.findings],
    }


def _json(setting: Setting[Any]) -> dict[str, Any]:
    span = setting.origin.place.span if setting.origin.place else None
    return {
        "value": plain(setting.value),
        "intent": plain(setting.intent),
        "differs": setting.differs,
        "key": setting.key or None,
        "written": plain(setting.written) if setting.is_written else None,
        "is_written": setting.is_written,
        "from": str(setting.origin),
        "line": span.line if span else None,
        "column": span.column if span else None,
        "note": setting.note or None,
    }
