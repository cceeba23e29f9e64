"""What `fsds lint` does once its options are understood."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from fsds_convert.cli.lint_output import print_outcome
from fsds_convert.cli.lint_write import emit_fixed, write_diffs, write_fixed, write_ignores
from fsds_convert.cli.streams import say, show
from fsds_convert.diagnostics import Severity
from fsds_convert.errors import ExitCode, FsdsError
from fsds_convert.lint.discovery import discover
from fsds_convert.lint.outcome import Outcome
from fsds_convert.lint.run import names, run, with_fixes
from fsds_convert.lint.select import Selection
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source
from fsds_convert.syntax.source import Source


@dataclass(frozen=True)
class Job:
    """Everything that a run was asked for; `fixes` is none, safe or unsafe."""

    paths: tuple[str, ...]
    context: Context
    selection: Selection
    fail_on: Severity
    exclude: tuple[str, ...]
    force_exclude: bool
    stdin_filename: str | None
    fixes: str
    diff: bool
    add_ignore: str | None
    output_format: str | None
    output_file: str | None
    colour: str


@dataclass(frozen=True)
class Done:
    """How a run ended."""

    status: ExitCode
    fixed: int = 0


_RANK = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def run_job(job: Job, *, only_names: bool = False) -> Done:
    """Reads, checks, mends where asked, writes and prints; raises FsdsError for options that contradict each other."""
    _check(job)
    paths = discover(job.paths, job.exclude, force_exclude=job.force_exclude)

    if job.output_file and os.path.realpath(job.output_file) in map(os.path.realpath, paths):
        raise FsdsError(f"{job.output_file}: is one of the files to lint", "give another name to -o")

    def read(path: str) -> Source:
        return read_source(path, sys.stdin.buffer if path == "-" else None, job.stdin_filename)

    if only_names:
        found, errors = names(paths, read)
        for path in found:
            show(path)
        _say_errors(errors)
        return Done(ExitCode.USAGE if errors else ExitCode.OK)
    outcome, errors = run(paths, read, job.context, job.selection, fixes=job.fixes)
    status = _status(outcome, job.fail_on)
    if job.add_ignore is not None:
        write_ignores(outcome, job.add_ignore)
        status = ExitCode.OK
    elif job.diff:
        status = ExitCode.FINDINGS if write_diffs(outcome) else ExitCode.OK
    else:
        on_stdout = job.fixes != "none" and job.paths == ("-",)
        if on_stdout:
            emit_fixed(outcome)
        elif any(report.fixed for report in outcome.files):
            outcome, unwritten = write_fixed(outcome)
            errors += unwritten
            # a file that was not touched may speak of a DeepSpeed JSON that was
            again, _ = run([report.source.name for report in outcome.files], read, job.context, job.selection)
            outcome = with_fixes(again, outcome)
            status = _status(outcome, job.fail_on)
        print_outcome(outcome, job, to_stderr=on_stdout)
    _say_errors(errors)
    fixed = sum(len(report.fixed) for report in outcome.files)
    return Done(ExitCode.USAGE if errors else status, fixed)


def _check(job: Job) -> None:
    if job.add_ignore is not None and job.fixes != "none":
        raise FsdsError("--add-ignore and --fix or --diff are both given", "give one of them")
    if job.add_ignore is not None and not job.add_ignore.strip():
        raise FsdsError("--add-ignore has an empty reason", "say why the findings stay")
    if job.add_ignore is not None and "-" in job.paths:
        raise FsdsError("stdin cannot be written over", "name the file")
    if job.paths.count("-") and len(job.paths) > 1:
        raise FsdsError("- stands beside other paths", "give stdin alone")


def _say_errors(errors: list[FsdsError]) -> None:
    for error in errors:
        say(f"error: {error.message}" + (f"\n  hint: {error.hint}" if error.hint else ""))


def _status(outcome: Outcome, fail_on: Severity) -> ExitCode:
    bad = _RANK[: _RANK.index(fail_on) + 1]
    found = any(finding.diagnostic.severity in bad for finding in outcome.findings)
    return ExitCode.FINDINGS if found else ExitCode.OK
