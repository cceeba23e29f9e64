"""What a finding is known by from one run to the next."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b

from fsds_convert.lint.outcome import Finding, Outcome
from fsds_convert.report.lint_places import dotted, path_of, paths_by_span, relative, sources
from fsds_convert.syntax.source import Source


def fingerprints(outcome: Outcome) -> tuple[str, ...]:
    """One for each finding, of its code, its file and its key: lines may move, and texts may be written anew.

    Those that are the same in all of it, like a key that is written three times, are counted.
    """
    texts, paths = sources(outcome), paths_by_span(outcome)
    seen: Counter[tuple[str, ...]] = Counter()
    made = []
    for finding in outcome.findings:
        name, path = finding.diagnostic.place.name, path_of(finding, paths)
        where = dotted(path) if path else _written(finding, texts.get(name))
        known_by = (finding.diagnostic.code, relative(name), where)
        made.append(_digest(*known_by, str(seen[known_by])))
        seen[known_by] += 1
    return tuple(made)


def _written(finding: Finding, source: Source | None) -> str:
    span = finding.diagnostic.place.span
    return source.text[span.start : span.end] if source is not None and span is not None else ""


def _digest(*parts: str) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def with_fingerprints(outcome: Outcome) -> tuple[tuple[Finding, str], ...]:
    """Each finding with what it is known by."""
    return tuple(zip(outcome.findings, fingerprints(outcome), strict=True))
