"""What `fsds lint` writes into the checked files."""

from __future__ import annotations

import os
from dataclasses import replace

from fsds_convert.cli.streams import emit, say
from fsds_convert.errors import FsdsError
from fsds_convert.lint.add_ignore import add_ignore
from fsds_convert.lint.outcome import FileReport, Outcome
from fsds_convert.syntax.decoding import encode
from fsds_convert.syntax.edits import unified_diff, write_atomically
from fsds_convert.syntax.source import Source


def write_fixed(outcome: Outcome) -> tuple[Outcome, list[FsdsError]]:
    """Writes each fixed file, whole; with those that cannot be written, which have no fixes in the new outcome."""
    files: list[FileReport] = []
    errors: list[FsdsError] = []
    for report in outcome.files:
        files.append(report)
        if report.fixed:
            try:
                _write(report.source, report.source.text)
            except FsdsError as error:
                errors.append(error)
                files[-1] = replace(report, fixed=(), before=None)
    return replace(outcome, files=tuple(files)), errors


def emit_fixed(outcome: Outcome) -> None:
    """The text of stdin, fixed or not, goes to stdout; raises FsdsError where it is no config."""
    for report in outcome.files:
        emit(encode(report.source.text, report.source.encoding, report.source.bom))
    if not outcome.files:
        raise FsdsError("stdin is no config, and has nothing to fix", "give an Accelerate or DeepSpeed config")


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
