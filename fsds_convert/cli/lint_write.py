"""What `fsds lint` writes into the checked files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fsds_convert.cli.streams import emit, say
from fsds_convert.errors import FsdsError
from fsds_convert.lint.add_ignore import add_ignore
from fsds_convert.lint.outcome import FileReport, Outcome
from fsds_convert.syntax.decoding import encode
from fsds_convert.syntax.edits import unified_diff, write_atomically
from fsds_convert.syntax.source import Source

if TYPE_CHECKING:
    from fsds_convert.cli.lint_run import Job


def write_fixed(outcome: Outcome, job: Job) -> bool:
    """Writes each fixed file, whole; stdin's text, fixed or not, goes to stdout. Whether stdout is taken by it."""
    if job.fixes == "none":
        return False
    for report in outcome.files:
        if job.paths == ("-",):
            emit(_content(report.source))
        elif report.fixed:
            _write(report.source, report.source.text)
    if job.paths == ("-",) and not outcome.files:
        raise FsdsError("stdin is no config, and has nothing to fix", "give an Accelerate or DeepSpeed config")
    return job.paths == ("-",)


def _content(source: Source) -> bytes:
    return encode(source.text, source.encoding, source.bom)


def _write(source: Source, text: str) -> None:
    path = source.name if source.path is None else os.fspath(source.path)
    write_atomically(path, text, source.encoding, source.bom, overwrite=True)


def write_diffs(outcome: Outcome) -> bool:
    """The fixes as a unified diff on stdout; whether there are any."""
    changed = [report for report in outcome.files if report.before is not None]
    for report in changed:
        emit(_diff(report).encode("utf-8"))
    fixes = sum(len(report.fixed) for report in changed)
    say(f"{fixes} fix{'es' if fixes != 1 else ''} in {len(changed)} file{'s' if len(changed) != 1 else ''}")
    return bool(changed)


def _diff(report: FileReport) -> str:
    return unified_diff(report.before or "", report.source.text, report.source.name, report.source.name)


def write_ignores(outcome: Outcome, reason: str) -> None:
    """A suppression comment for each finding."""
    added = left = 0
    for report in outcome.files:
        ignored = add_ignore(report, " ".join(reason.split()))
        added, left = added + ignored.added, left + ignored.left
        if ignored.text != report.source.text:
            _write(report.source, ignored.text)
    say(f"suppressed {added} finding{'s' if added != 1 else ''}")
    if left:
        say(f"{left} more stand in JSON, which holds no comments: use per-file-ignores")
