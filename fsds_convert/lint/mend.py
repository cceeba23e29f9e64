"""The fix of a finding as edits, and whether it is safe."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from fsds_convert.diagnostics import Diagnostic, Severity
from fsds_convert.lint.check import Checked, check
from fsds_convert.lint.edits_of import edits_of
from fsds_convert.lint.outcome import Mend
from fsds_convert.rules.catalog import catalog
from fsds_convert.rules.facts import Facts
from fsds_convert.settings.context import Context
from fsds_convert.syntax.decoding import encode
from fsds_convert.syntax.edits import apply
from fsds_convert.syntax.source import Source, load

_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\r\n]*", re.MULTILINE)


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
    after = with_text(source, apply(source.text, edits))
    if fix.edits and after.data == source.data:  # comments and the like
        return Mend(fix.message, edits, safe=True)
    mended = check(after, context)
    if mended is None or _count(mended, found) >= _count(checked, found) or _makes_worse(checked, found, mended):
        return None
    keeps = not _comments(source) - _comments(after)
    return Mend(fix.message, edits, not fix.guess and keeps and _is_safe(checked, mended, found))


def mends_of_comments(checked: Checked, findings: Iterable[Diagnostic]) -> dict[int, Mend]:
    """The fixes that only take comments and commas out, by the finding's id: tried together, since a file has hundreds.

    Empty where they do not go together, or the file would hold other values.
    """
    source = checked.source
    plain = [each for each in findings if each.fix and each.fix.edits and each.place.name == source.name]
    try:
        text = apply(source.text, (edit for each in plain for edit in (each.fix.edits if each.fix else ())))
    except ValueError:
        return {}
    if len(plain) < 2 or with_text(source, text).data != source.data:
        return {}
    return {id(each): Mend(each.fix.message, each.fix.edits, safe=True) for each in plain if each.fix}


def with_text(source: Source, text: str) -> Source:
    """The same file with another text."""
    return load(encode(text, source.encoding, source.bom), source.name, source.path, source.format)


def _count(checked: Checked, found: Diagnostic) -> int:
    return sum((other.code, other.message) == (found.code, found.message) for other in checked.findings)


def _makes_worse(before: Checked, found: Diagnostic, after: Checked) -> bool:
    """Whether upstream refuses something else instead."""
    return _errors(after) > _errors(before) - (found.severity is Severity.ERROR)


def _comments(source: Source) -> Counter[str]:
    """What looks like a comment; JSON has none."""
    return Counter(_COMMENT.findall(source.text)) if source.format == "yaml" else Counter()


def _is_safe(before: Checked, after: Checked, found: Diagnostic) -> bool:
    """Whether upstream refused the file, or the same runs."""
    return catalog()[found.code].outcome == "fails" or _runs_the_same(before.facts, after.facts)


def _errors(checked: Checked) -> int:
    return sum(found.severity is Severity.ERROR for found in checked.findings)


def _runs_the_same(before: Facts | None, after: Facts | None) -> bool:
    if before is None or after is None or before.engine != after.engine:
        return before is after is None
    idle = {key for facts in (before, after) for key, setting in facts.settings.items() if setting.idle}
    return _values(before, idle) == _values(after, idle)


def _values(facts: Facts, idle: set[str]) -> dict[str, Any]:
    """What runs, by key and by field of the plan, apart from what has no effect at all."""
    found = {key: setting.value for key, setting in facts.settings.items() if setting.value is not None}
    return {key: value for key, value in found.items() if key not in idle} | {
        path: setting.value for path, setting in (facts.plan.items() if facts.plan is not None else ())
    }
