"""What linting a set of files gives: the input of every output format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsds_convert.diagnostics import Diagnostic, Severity
from fsds_convert.syntax.edits import Edit
from fsds_convert.syntax.source import Source


@dataclass(frozen=True)
class Mend:
    """The fix of a finding as edits of the text of its file.

    `safe`: upstream refuses the file as it is, or the same plan runs afterwards; any other mend changes what runs.
    """

    message: str
    edits: tuple[Edit, ...]
    safe: bool


@dataclass(frozen=True)
class Finding:
    """A diagnostic in the file that it is told for; `mend` is None where there is no fix to apply by itself."""

    diagnostic: Diagnostic
    mend: Mend | None = None


@dataclass(frozen=True)
class FileReport:
    """A checked file: `source` as it is now, after fixes if any were made.

    `kind` is accelerate, deepspeed-json, trainer-fsdp or trainer-args. `findings` are in the order of the text, those
    in another file (the DeepSpeed JSON that the file names) last; `named` are the files that it names. `fixed` are
    those that were mended, `before` the text before that.
    """

    source: Source
    kind: str
    findings: tuple[Finding, ...]
    suppressed: int = 0
    fixed: tuple[Finding, ...] = ()
    before: str | None = None
    named: tuple[Source, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """Every checked file in the order of their names, and the number of files that are no config."""

    files: tuple[FileReport, ...]
    skipped: int = 0

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all files; one that two files share stands once, with its mend where one of them has it."""
        found: dict[tuple[object, ...], Finding] = {}
        for finding in (finding for report in self.files for finding in report.findings):
            known = found.get(_identity(finding))
            if known is None or known.mend is None:
                found[_identity(finding)] = finding
        return tuple(found.values())

    def count(self, severity: Severity) -> int:
        """How many findings have the severity."""
        return sum(finding.diagnostic.severity is severity for finding in self.findings)


def _identity(finding: Finding) -> tuple[object, ...]:
    told = finding.diagnostic
    return told.code, str(told.place), told.message, told.note


OutputFormat = Literal["full", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"]
