"""Where findings stand: in which text, at which key, and under which name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from fsds_convert.lint.outcome import Finding, Outcome
from fsds_convert.syntax.edits import Edit
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import START, Lines, Path, Span


def sources(outcome: Outcome) -> Mapping[str, Source]:
    """The checked files by their names, and those that they name."""
    named = {source.name: source for report in outcome.files for source in report.named}
    return named | {report.source.name: report.source for report in outcome.files}


def span_of(finding: Finding) -> Span:
    """The place, or the start of the file for a finding about all of it."""
    return finding.diagnostic.place.span or START


def relative(name: str) -> str:
    """The name as a repository knows it: from the working directory, with `/` between its parts."""
    try:
        inside = os.path.relpath(name) if os.path.isabs(name) else os.path.normpath(name)
    except ValueError:  # another drive
        inside = name
    if os.path.isabs(name) and inside.startswith(os.pardir):
        inside = name
    return inside.replace(os.sep, "/")


def edits_with_spans(finding: Finding, source: Source | None) -> Iterator[tuple[Edit, Span]]:
    """The edits of the mend, each with the place of what it replaces."""
    if finding.mend is not None and source is not None:
        lines = Lines(source.text)
        for edit in finding.mend.edits:
            yield edit, lines.span(edit.start, edit.end)


def path_of(finding: Finding, paths: Mapping[str, Mapping[tuple[int, int], Path]]) -> Path | None:
    """The key that a finding is about."""
    span = finding.diagnostic.place.span
    return paths.get(finding.diagnostic.place.name, {}).get((span.start, span.end)) if span else None


def paths_by_span(outcome: Outcome) -> Mapping[str, Mapping[tuple[int, int], Path]]:
    """For each file with findings the path of its keys and values by where they are written."""
    names = {finding.diagnostic.place.name for finding in outcome.findings}
    return {name: _paths(source) for name, source in sources(outcome).items() if name in names}


def _paths(source: Source) -> dict[tuple[int, int], Path]:
    """Of aliased values, the first path."""
    found: dict[tuple[int, int], Path] = {}
    for spans in (source.keys, source.values):
        for path, span in spans.items():
            if path:
                found.setdefault((span.start, span.end), path)
    return found


def dotted(path: Path) -> str:
    """`fsdp_config.fsdp_version`, `betas[0]`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
