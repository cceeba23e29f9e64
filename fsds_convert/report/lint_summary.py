"""The last line: how much was found, and how much of it can be mended."""

from __future__ import annotations

from fsds_convert.diagnostics import Severity
from fsds_convert.lint.outcome import Outcome


def summary(outcome: Outcome) -> str:
    """`1 error in 1 of 3 files (2 files are not Accelerate or DeepSpeed configs). 1 fixable with --fix.`"""
    sentences = (_fixed(outcome), f"{_found(outcome)}{_skipped(outcome.skipped)}", _fixable(outcome))
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def _fixed(outcome: Outcome) -> str:
    """What --fix has mended."""
    count = sum(len(report.fixed) for report in outcome.files)
    files = sum(bool(report.fixed) for report in outcome.files)
    return f"{_counted(count, 'finding')} fixed in {_counted(files, 'file')}" if count else ""


def _found(outcome: Outcome) -> str:
    if not outcome.files:
        return "No Accelerate or DeepSpeed config was checked"
    suppressed = sum(report.suppressed for report in outcome.files)
    beside = f", {suppressed} suppressed" if suppressed else ""
    total = _counted(len(outcome.files), "file")
    if not outcome.findings:
        return f"All checks passed: {total}{beside}"
    counts = [(outcome.count(severity), severity) for severity in Severity]
    found = [
        f"{count} info" if kind is Severity.INFO else _counted(count, kind.value) for count, kind in counts if count
    ]
    # a DeepSpeed JSON that is only named by a checked file counts as a part of that file
    touched = sum(bool(report.findings) for report in outcome.files)
    return f"{', '.join(found)} in {f'{touched} of ' if touched < len(outcome.files) else ''}{total}{beside}"


def _skipped(count: int) -> str:
    if not count:
        return ""
    return (
        " (1 file is not an Accelerate or DeepSpeed config)"
        if count == 1
        else (f" ({count} files are not Accelerate or DeepSpeed configs)")
    )


def _fixable(outcome: Outcome) -> str:
    mends = [finding.mend for finding in outcome.findings if finding.mend]
    safe = sum(mend.safe for mend in mends)
    unsafe = len(mends) - safe
    if safe and unsafe:
        return f"{safe} fixable with --fix ({unsafe} more with --unsafe-fixes)"
    if safe:
        return f"{safe} fixable with --fix"
    return f"{unsafe} fixable with --fix --unsafe-fixes" if unsafe else ""


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
