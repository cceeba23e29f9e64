"""The fix of a finding as edits, and whether it is safe."""

from __future__ import annotations

from typing import Any

from fsds_convert.containers.reading import Reading
from fsds_convert.diagnostics import Diagnostic
from fsds_convert.lint.check import Checked, check
from fsds_convert.lint.edits_of import edits_of
from fsds_convert.lint.outcome import Mend
from fsds_convert.rules.catalog import catalog
from fsds_convert.settings.context import Context
from fsds_convert.syntax.edits import apply
from fsds_convert.syntax.source import Source, load


def mend(checked: Checked, found: Diagnostic, context: Context) -> Mend | None:
    """The fix of a finding in this very file; None where it has none, or the text does not allow it.

    Only a fix that takes its finding away counts.
    """
    fix, source = found.fix, checked.source
    if fix is None or found.place.name != source.name:
        return None
    edits = fix.edits or edits_of(source, fix.changes)
    if not edits:
        return None
    after = check(with_text(source, apply(source.text, edits)), context)
    if after is None or _count(after, found) >= _count(checked, found):
        return None
    refused = catalog()[found.code].outcome == "fails"
    return Mend(fix.message, edits, not fix.guess and (refused or _runs_the_same(checked.reading, after.reading)))


def with_text(source: Source, text: str) -> Source:
    """The same file with another text; raises nothing that the old text did not."""
    return load(text.encode("utf-8"), source.name, source.path, source.format)


def _count(checked: Checked, found: Diagnostic) -> int:
    return sum((other.code, other.message) == (found.code, found.message) for other in checked.findings)


def _runs_the_same(before: Reading | None, after: Reading | None) -> bool:
    if before is None or after is None or before.engine != after.engine:
        return before is after is None
    return _values(before) == _values(after)


def _values(reading: Reading) -> dict[str, Any]:
    """What runs, by key and by field of the plan, apart from what has no effect at all."""
    found = {key: setting.value for key, setting in reading.settings.items() if setting.value is not None}
    return found | {path: setting.value for path, setting in reading.runs.items()}
