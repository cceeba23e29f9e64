"""One file, from its text to its report, with or without fixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import get_args

from fsds_convert.diagnostics import Diagnostic
from fsds_convert.lint.check import Checked, check, in_order
from fsds_convert.lint.mend import mend, mends_of_comments, with_text
from fsds_convert.lint.outcome import FileReport, Finding, Mend
from fsds_convert.lint.select import Selection
from fsds_convert.lint.suppressions import Suppression, about_suppressions, suppressions
from fsds_convert.settings.context import Consumer, Context
from fsds_convert.syntax.edits import Edit, apply
from fsds_convert.syntax.source import Source

# a mend may bring another one about: a key with its right name can have a wrong value
_MAX_ROUNDS = 200
# what is left has its turn in the next round of --fix
_MOST_TRIALS = 40


def lint(source: Source, context: Context, selection: Selection) -> FileReport | None:
    """The report of a file as it is; None when it is no config."""
    checked = check(source, context)
    if checked is None:
        return None
    kept, suppressed = _kept(checked, selection, context)
    together = mends_of_comments(checked, kept)
    findings = tuple(_with_mends(checked, kept, together, context))
    beside = checked.facts.deepspeed_file if checked.facts else None
    return FileReport(source, checked.kind, findings, suppressed, named=(beside,) if beside else ())


def _with_mends(
    checked: Checked, kept: Iterable[Diagnostic], together: dict[int, Mend], context: Context
) -> Iterator[Finding]:
    """Each finding with its mend, for as many as are tried: each trial reads the file again."""
    tried = 0
    for found in kept:
        known = together.get(id(found))
        if known is None and found.fix is not None and tried < _MOST_TRIALS:
            tried += 1
            known = mend(checked, found, context)
        yield Finding(found, known)


def fix(source: Source, context: Context, selection: Selection, *, unsafe: bool) -> FileReport | None:
    """The report of a file after its fixes, the unsafe ones too where they are asked for; None when it is no config."""
    report = lint(source, context, selection)
    fixed: list[Finding] = []
    seen = {source.text}
    for _ in range(_MAX_ROUNDS):
        if report is None:
            break
        chosen = _together(finding for finding in report.findings if finding.mend and (unsafe or finding.mend.safe))
        if not chosen:
            break
        again = _mended(report, chosen, context, selection)
        while len(chosen) > 1 and _brings_about(report, again):  # two that each write the same key, say
            chosen = chosen[: len(chosen) // 2]
            again = _mended(report, chosen, context, selection)
        if again is None or again.source.text in seen or again.source.data is None is not report.source.data:
            break
        seen.add(again.source.text)
        fixed += chosen
        report = again
    if report is None or not fixed:
        return report
    return replace(report, fixed=tuple(fixed), before=source.text)


def _mended(report: FileReport, chosen: list[Finding], context: Context, selection: Selection) -> FileReport | None:
    text = apply(report.source.text, (edit for finding in chosen for edit in _edits(finding)))
    return lint(with_text(report.source, text), context, selection)


def _brings_about(before: FileReport, after: FileReport | None) -> bool:
    """Whether something is wrong that was not before."""
    if after is None or len(after.source.problems) > len(before.source.problems):
        return True
    known = {(finding.diagnostic.code, finding.diagnostic.message) for finding in before.findings}
    return any((finding.diagnostic.code, finding.diagnostic.message) not in known for finding in after.findings)


def _kept(checked: Checked, selection: Selection, context: Context) -> tuple[list[Diagnostic], int]:
    """The findings that are shown, with those about the suppressions, and the number that is suppressed."""
    source = checked.source
    comments = suppressions(source)
    told = _distinct(checked.findings)
    # a comment is used by what it stands for, shown or not
    covered = {id(found) for found in told if _any(comment.covers(found, source.name) for comment in comments)}
    if any(comment.codes and not comment.used for comment in comments):
        _use_for_others(source, context, comments)
    shown = [found for found in told if selection.shows(found, found.place.name)]
    kept = [found for found in shown if id(found) not in covered]
    about = [found for found in about_suppressions(source, comments) if selection.shows(found, source.name)]
    return sorted((*kept, *about), key=lambda each: in_order(each, source.name)), len(shown) - len(kept)


def _use_for_others(source: Source, context: Context, comments: tuple[Suppression, ...]) -> None:
    """A comment is used, too, by what is found for another consumer: the option of one run is not that of the next."""
    for consumer in get_args(Consumer):
        other = check(source, replace(context, consumer=consumer))
        for found in other.findings if other is not None else ():
            _any(comment.covers(found, source.name) for comment in comments)


def _any(answers: Iterable[bool]) -> bool:
    """Asks all of them: each comment has to know that it is used."""
    return any(list(answers))


def _distinct(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    return list({(found.code, str(found.place), found.message): found for found in findings}.values())


def _edits(finding: Finding) -> tuple[Edit, ...]:
    return finding.mend.edits if finding.mend else ()


def _together(findings: Iterable[Finding]) -> list[Finding]:
    """As many as can be made at once: those whose edits touch no part of the text that another one changes."""
    chosen: list[Finding] = []
    taken: list[Edit] = []
    for finding in findings:
        edits = _edits(finding)
        if not any(edit.start <= other.end and other.start <= edit.end for edit in edits for other in taken):
            chosen.append(finding)
            taken += edits
    return chosen
