"""Are two files the same training? Field by field, with the fidelity of a conversion between their engines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fsds_convert.containers.reading import Reading
from fsds_convert.engines.modules import tables_of
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided, Setting, same
from fsds_convert.tables.load import load_document
from fsds_convert.transfer.adapt import Adapted, adapt
from fsds_convert.transfer.note import Note
from fsds_convert.transfer.options import Options
from fsds_convert.transfer.rows import Fidelity

DIFFERENT = "different"
_LEFT_OPEN = (Decided.BY_SCRIPT, Decided.BY_COMMAND_LINE, Decided.AS_LOADED)


@dataclass(frozen=True)
class Difference:
    """A field, or a key without one: both sides, and how far apart they are.

    `verdict` is a fidelity, or `different` where a conversion of the first would have given something else.
    """

    field: str
    verdict: str
    left: Setting[Any]
    right: Setting[Any]
    reason: str = ""

    @property
    def rank(self) -> int:
        """0 for exact; `different` ranks with refused."""
        return Fidelity.REFUSED.rank if self.verdict == DIFFERENT else Fidelity(self.verdict).rank


def compare(left: Reading, right: Reading, context: Context, options: Options) -> tuple[Difference, ...]:
    """Every field of what really runs, then the keys that have no field.

    Raises InputError when a file names a DeepSpeed JSON that cannot be read.
    """
    for reading in (left, right):
        reading.require_deepspeed_file()
    adapted = adapt(left.runs, left.engine, right.engine, context, options)
    notes = {note.field: note for note in adapted.notes}
    fields = (_field(path, notes[path], setting, right.runs.get(path)) for path, setting in left.runs.items())
    return (*fields, *_keys(left, right, adapted, notes))


def _field(path: str, note: Note, left: Setting[Any], right: Setting[Any]) -> Difference:
    if same(note.after, right.value):
        return Difference(path, note.fidelity.value, left, right, note.reason)
    if note.after in _LEFT_OPEN or right.value in _LEFT_OPEN:
        open_side = "the first file" if note.after in _LEFT_OPEN else "the second file"
        decided = note.after if note.after in _LEFT_OPEN else right.value
        return Difference(path, Fidelity.APPROXIMATE.value, left, right, f"{open_side} leaves it open: {decided.value}")
    effect = load_document("plan")["fields"][path]["effect"]
    verdict = Fidelity.DROPPED.value if effect in ("speed", "launch") else DIFFERENT
    return Difference(path, verdict, left, right, f"differs in {effect}")


def _keys(left: Reading, right: Reading, adapted: Adapted, notes: dict[str, Note]) -> Iterator[Difference]:
    if left.engine != right.engine:
        for key, setting in left.runs.engine_only.items():
            if key in notes:
                yield Difference(key, notes[key].fidelity.value, setting, _absent(right, key), notes[key].reason)
        return
    for key in {**left.runs.engine_only, **right.runs.engine_only}:
        one, other = (side.runs.engine_only.get(key) or _absent(side, key) for side in (left, right))
        if not same(one.value, other.value):
            yield Difference(key, _verdict(left, key), one, other)


def _absent(reading: Reading, key: str) -> Setting[Any]:
    return reading.settings.get(key) or Setting(None, None, key)


def _verdict(reading: Reading, key: str) -> str:
    """Keys that change numbers make another training, the others only a slower or a larger one."""
    for table in tables_of(reading.engine):
        for row in table.by_key.get(key, ()):
            if any(loss.effect == "numbers" for loss in row.elsewhere.values()):
                return DIFFERENT
    return Fidelity.DROPPED.value
