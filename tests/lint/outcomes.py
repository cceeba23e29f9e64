"""Outcomes for the tests of the formats: of files that are linted, and of findings made up."""

from __future__ import annotations

from pathlib import Path

from fsds_convert.diagnostics import Diagnostic, Place, Severity
from fsds_convert.lint.lint_file import lint
from fsds_convert.lint.outcome import FileReport, Finding, Mend, Outcome
from fsds_convert.lint.select import Selection
from fsds_convert.settings.context import Context
from fsds_convert.syntax.edits import Edit
from fsds_convert.syntax.read_file import read_source
from fsds_convert.syntax.source import Source, load
from fsds_convert.syntax.span import Lines

# the findings of reading a file: rules may come and go, these stay
TABLES = Selection(select=("FSDS0", "FSDS1"), severity=Severity.INFO)


def linted(*names: str, selection: Selection = TABLES) -> Outcome:
    """What linting the files of the working directory gives."""
    reports = [lint(read_source(name), Context(), selection) for name in names]
    kept = tuple(report for report in reports if report is not None)
    return Outcome(kept, len(reports) - len(kept))


def folder(path: Path) -> Outcome:
    return linted(*sorted(file.name for file in path.iterdir()))


def of_text(text: str, *findings: Finding, name: str = "train.yaml") -> Outcome:
    """Findings made up in a text."""
    return Outcome((FileReport(source_of(text, name), "accelerate", findings),))


def source_of(text: str, name: str = "train.yaml") -> Source:
    return load(text.encode("utf-8", "surrogatepass"), name)


def at(
    text: str,
    word: str,
    message: str = "wrong",
    *,
    severity: Severity = Severity.ERROR,
    note: str = "",
    help: str = "",
    code: str = "FSDS103",
    name: str = "train.yaml",
    mend: Mend | None = None,
) -> Finding:
    """A finding where the word stands in the text."""
    start = text.index(word)
    place = Place(name, Lines(text).span(start, start + len(word)))
    return Finding(Diagnostic(code, "value-refused", severity, message, place, note, help), mend)


def about_file(message: str = "wrong", *, name: str = "train.yaml") -> Finding:
    return Finding(Diagnostic("FSDS103", "value-refused", Severity.ERROR, message, Place(name)))


def mended(text: str, word: str, new: str, *, safe: bool = True, message: str = "mend it") -> Mend:
    start = text.index(word)
    return Mend(message, (Edit(start, start + len(word), new),), safe)
