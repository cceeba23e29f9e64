"""Real files: what upstream says of each, beside what `fsds lint` says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fsds_convert.diagnostics import Diagnostic, Severity
from fsds_convert.lint.lint_file import lint
from fsds_convert.lint.outcome import FileReport
from fsds_convert.lint.select import Selection
from fsds_convert.rules.catalog import catalog
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source
from tests.oracle import corpus, deepspeed_config, plugins, prepare
from tests.oracle.launcher import Launched, launch
from tests.oracle.outcome import Refused

KINDS = ("accelerate-", "deepspeed-json")
_EVERYTHING = Selection(severity=Severity.INFO)


@contextmanager
def chdir(folder: Path) -> Iterator[None]:
    """contextlib.chdir, for Python 3.10."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@dataclass(frozen=True)
class Verdict:
    """A file by its place in the corpus; `refused` is upstream's error, None when the file can be launched."""

    name: str
    refused: Refused | None
    report: FileReport | None

    @property
    def errors(self) -> list[Diagnostic]:
        """What lint reports as an error."""
        found = [finding.diagnostic for finding in self.report.findings] if self.report else []
        return [each for each in found if each.severity is Severity.ERROR]

    @property
    def refusals(self) -> list[Diagnostic]:
        """The errors of rules that speak of what upstream refuses."""
        return [found for found in self.errors if catalog()[found.code].outcome == "fails"]


@cache
def verdicts() -> tuple[Verdict, ...]:
    """Of every file that `accelerate launch` could be given; a DeepSpeed JSON goes through a minimal YAML."""
    return tuple(_verdict(file) for file in corpus.files(*KINDS))


def linted(file: corpus.CorpusFile) -> FileReport | None:
    """The report of a file, read from its own folder; none when it is no config."""
    with chdir(file.path.parent):
        context = Context(num_processes=8) if file.kind == "deepspeed-json" else Context()
        return lint(read_source(file.path.name), context, _EVERYTHING)


def _verdict(file: corpus.CorpusFile) -> Verdict:
    name = f"{file.kind}/{file.path.name}"
    if file.kind == "deepspeed-json":
        with corpus.referring_to(file.path) as path:
            refused = _refusal(path)
    else:
        with chdir(file.path.parent):
            refused = _refusal(file.path)
    return Verdict(name, refused, linted(file))


def _refusal(path: Path) -> Refused | None:
    answer = launch(path)
    found = plugins.settings(answer) if isinstance(answer, Launched) else answer
    if isinstance(found, Refused) or not isinstance(answer, Launched):
        return found if isinstance(found, Refused) else None
    if found["engine"] != "deepspeed":
        return None
    ready = prepare.prepare(answer)
    built = ready if isinstance(ready, Refused) else deepspeed_config.build(ready.config, ready.world_size)
    return built if isinstance(built, Refused) else None


def others() -> Iterator[corpus.CorpusFile]:
    """The files of the corpus that `accelerate launch` is not given."""
    for file in corpus.files():
        if not file.kind.startswith(KINDS) and os.path.isfile(file.path):
            yield file
