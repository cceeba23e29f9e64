"""Many files -> one outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from fsds_convert.errors import FsdsError, NotText
from fsds_convert.lint.check import is_config, speaks_of_training
from fsds_convert.lint.lint_file import fix, lint
from fsds_convert.lint.outcome import FileReport, Outcome
from fsds_convert.lint.processes import in_parts
from fsds_convert.lint.select import Selection
from fsds_convert.settings.context import Context
from fsds_convert.syntax.source import Source


@dataclass
class _Part:
    """Some of the files."""

    reports: list[FileReport]
    errors: list[FsdsError]
    skipped: int


def _light(report: FileReport) -> FileReport:
    """Without the values of a file that nothing is told of: there may be thousands of them."""
    if report.findings or report.fixed:
        return report
    return replace(report, source=replace(report.source, text="", data=None, keys={}, values={}), named=())


def run(
    paths: Iterable[str],
    read: Callable[[str], Source],
    context: Context,
    selection: Selection,
    *,
    fixes: str = "none",
) -> tuple[Outcome, list[FsdsError]]:
    """Lints every file, and makes its fixes where `fixes` is `safe` or `unsafe`; with the files that cannot be read.

    Nothing is written: the fixed text is that of the report's source.
    """

    def part(some: Sequence[str]) -> _Part:
        done = _Part([], [], 0)
        for path in some:
            source = _read(path, read, done.errors)
            report = _report(source, context, selection, fixes) if isinstance(source, Source) else None
            done.skipped += source is not None and report is None
            done.reports += [_light(report) if fixes == "none" else report] if report else []
        return done

    parts = in_parts(list(paths), part)
    reports = (report for done in parts for report in done.reports)
    return Outcome(tuple(reports), sum(done.skipped for done in parts)), [e for done in parts for e in done.errors]


def names(paths: Iterable[str], read: Callable[[str], Source]) -> tuple[list[str], list[FsdsError]]:
    """The files that would be linted; with those that cannot be read."""
    errors: list[FsdsError] = []
    sources = ((path, _read(path, read, errors)) for path in paths)
    return [path for path, source in sources if isinstance(source, Source) and is_config(source)], errors


def _read(path: str, read: Callable[[str], Source], errors: list[FsdsError]) -> Source | NotText | None:
    """NotText for a file that is something else than a config: hooks get every JSON file. Adds to the errors."""
    try:
        return read(path)
    except NotText as error:
        if not speaks_of_training(error.content.decode("latin-1")):
            return error
        errors.append(error)
    except FsdsError as error:
        errors.append(error)
    return None


def with_fixes(now: Outcome, fixed: Outcome) -> Outcome:
    """What is found now, with what was mended before."""
    made = {report.source.name: report for report in fixed.files}
    files = (
        replace(report, fixed=made[report.source.name].fixed, before=made[report.source.name].before)
        for report in now.files
    )
    return Outcome(tuple(files), fixed.skipped)


def _report(source: Source, context: Context, selection: Selection, fixes: str) -> FileReport | None:
    if fixes == "none":
        return lint(source, context, selection)
    return fix(source, context, selection, unsafe=fixes == "unsafe")
