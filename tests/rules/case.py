"""A case of a rule: the files, the options, and what linting the first file gives."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fsds_convert.diagnostics import Severity
from fsds_convert.lint.lint_file import fix, lint
from fsds_convert.lint.outcome import FileReport, Finding
from fsds_convert.lint.select import Selection
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source
from fsds_convert.tables.versions import Versions

NAMES = {
    "yaml": "train.yaml",
    "json": "ds_config.json",
    "trainer-fsdp": "fsdp_config.json",
    "trainer-args": "args.json",
}
EVERYTHING = Selection(severity=Severity.INFO)


@dataclass(frozen=True)
class Files:
    """`texts` by name, of which the first is linted. `options` are fields of Context, and `versions` by package."""

    texts: Mapping[str, str]
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str | Mapping[str, str], kind: str, options: Mapping[str, Any]) -> Files:
        return cls({NAMES[kind]: text} if isinstance(text, str) else dict(text), options)

    @property
    def context(self) -> Context:
        given = dict(self.options)
        versions = Versions(**given.pop("versions", {}))
        return Context(versions=versions, **given)

    def write(self, folder: Path) -> str:
        """Writes the files, enters the folder, and gives the name of the one to lint."""
        for name, text in self.texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
        os.chdir(folder)
        return next(iter(self.texts))

    def lint(self, folder: Path) -> FileReport:
        return _there(lint(read_source(self.write(folder)), self.context, EVERYTHING))

    def fix(self, folder: Path, code: str, *, unsafe: bool) -> FileReport:
        """After the fixes of one rule alone."""
        only = Selection(select=(code,), severity=Severity.INFO)
        return _there(fix(read_source(self.write(folder)), self.context, only, unsafe=unsafe))


def _there(report: FileReport | None) -> FileReport:
    assert report is not None, "the file was taken for no config"
    return report


def of_code(report: FileReport, code: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.diagnostic.code == code]


def place(finding: Finding, first: str) -> str:
    """`line:column`, after the name where it is another file than the linted one."""
    told = finding.diagnostic.place
    at = f"{told.span.line}:{told.span.column}" if told.span else "file"
    return at if told.name == first else f"{told.name}:{at}"
