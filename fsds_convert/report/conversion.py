"""What became of each setting: the rows of the report, and the report as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fsds_convert.convert.conversion import Conversion
from fsds_convert.plan.training_plan import FIELDS
from fsds_convert.report.findings import finding_json
from fsds_convert.report.values import plain, shown, shown_field, shown_key
from fsds_convert.settings.setting import Decided
from fsds_convert.transfer.note import Note
from fsds_convert.transfer.rows import Fidelity


@dataclass(frozen=True)
class ReportRow:
    """One line of the report: a source key with all plan fields that one fact decides."""

    fidelity: Fidelity
    before: str
    after: str
    code: str
    effect: str
    reason: str
    place: str


def report_rows(conversion: Conversion) -> Iterator[ReportRow]:
    """Every written setting, and every other one that is less than automatic; the worst last."""
    groups: dict[tuple[str, str], list[Note]] = {}
    for note in conversion.adapted.notes:
        if _worth_saying(note):
            groups.setdefault((note.setting.key or note.field, note.code), []).append(note)
    coded = {key for key, code in groups if code}
    rows = [_row(conversion, notes) for (key, code), notes in groups.items() if code or key not in coded]
    yield from sorted(rows, key=lambda row: row.fidelity.rank)


def _worth_saying(note: Note) -> bool:
    if note.fidelity.rank > Fidelity.AUTOMATIC.rank:
        return True
    if note.effect not in ("none", "launch") and note.code:
        return True
    return note.setting.is_written and not (isinstance(note.before, Decided) and isinstance(note.after, Decided))


def _row(conversion: Conversion, notes: list[Note]) -> ReportRow:
    first = max(notes, key=lambda note: note.fidelity.rank)
    setting = first.setting
    before = f"{shown_key(setting.key)}: {shown(setting.written)}"
    if not setting.is_written:
        before = f"{first.field}: {shown_field(first.field, first.before)}"
    after = list(dict.fromkeys(text for note in notes if (text := _written(conversion, note))))
    place = str(setting.origin.place) if setting.origin.place else ""
    return ReportRow(
        *(first.fidelity, before, ", ".join(after) or _nothing(first)),
        *(first.code, first.effect, first.reason, place),
    )


def _nothing(note: Note) -> str:
    """Why no key was written: the engine does it, someone else decides, or it is lost."""
    if note.fidelity is Fidelity.AUTOMATIC:
        return "by itself"
    if isinstance(note.after, Decided):
        return shown(note.after)
    lost = note.after is None or note.fidelity.rank > Fidelity.APPROXIMATE.rank
    return "nothing" if lost else "by itself"


def _written(conversion: Conversion, note: Note) -> str:
    """`key: value` as it stands in the converted file."""
    elsewhere = isinstance(note.after, Decided) and note.after is not Decided.AS_LOADED
    if elsewhere or note.fidelity is Fidelity.DROPPED:
        return ""
    if note.field not in FIELDS:
        return f"{shown_key(note.field)}: {shown(note.setting.written)}" if note.fidelity is Fidelity.EXACT else ""
    if note.field not in conversion.written:
        return ""
    key, value = conversion.written[note.field]
    return f"{shown_key(key)}: {shown(value)}"


def script_lines(conversion: Conversion) -> list[str]:
    """What the training script has to do, then advice; each once."""
    lines = [note.script for note in conversion.adapted.notes if note.script]
    return list(dict.fromkeys([*lines, *conversion.advice]))


def summary(conversion: Conversion) -> str:
    """`12 exact, 3 automatic, 2 approximate`."""
    counts = Counter(row.fidelity for row in report_rows(conversion))
    return ", ".join(f"{counts[fidelity]} {fidelity.value}" for fidelity in Fidelity if counts[fidelity])


def conversion_json(conversion: Conversion) -> dict[str, Any]:
    """The whole report: every plan field, and every key without one."""
    return {
        "format_version": "1",
        "source": conversion.reading.source.name,
        "from": conversion.reading.dialect,
        "to": conversion.target.name,
        "engine": conversion.engine,
        "written": [output.role for output in conversion.outputs],
        "worst": conversion.worst.value,
        "settings": [_note_json(conversion, note) for note in conversion.adapted.notes],
        "script": script_lines(conversion),
        "findings": [finding_json(found) for found in conversion.findings],
    }


def _note_json(conversion: Conversion, note: Note) -> dict[str, Any]:
    span = note.setting.origin.place.span if note.setting.origin.place else None
    return {
        "field": note.field,
        "fidelity": note.fidelity.value,
        "source_key": note.setting.key or None,
        "source_value": plain(note.setting.written) if note.setting.is_written else None,
        "target_key": conversion.written.get(note.field, (None, None))[0],
        "target_value": plain(conversion.written.get(note.field, (None, None))[1]),
        "before": plain(note.before),
        "after": plain(note.after),
        "code": note.code or None,
        "name": note.name or None,
        "effect": note.effect,
        "reason": note.reason,
        "script": note.script or None,
        "line": span.line if span else None,
        "column": span.column if span else None,
    }
