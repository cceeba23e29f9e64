"""Writes docs/results/lint-corpus.md: `python -m tests.lint.corpus_report`, where the corpus lies beside it all."""

from __future__ import annotations

import re
from collections import Counter
from importlib.metadata import version
from pathlib import Path

from fsds_convert.rules.catalog import catalog
from tests.lint.corpus_verdicts import Verdict, linted, others, verdicts
from tests.oracle import corpus

PAGE = Path(__file__).parents[2] / "docs" / "results" / "lint-corpus.md"


def page() -> str:
    """The whole page."""
    found = verdicts()
    refused = [verdict for verdict in found if verdict.refused]
    accepted = [verdict for verdict in found if not verdict.refused]
    return "\n".join(
        [
            *_head(found, refused, accepted),
            *_refused(refused),
            *_accepted([verdict for verdict in accepted if verdict.errors]),
            *_by_rule(found),
            "",
        ]
    )


def _head(found: tuple[Verdict, ...], refused: list[Verdict], accepted: list[Verdict]) -> list[str]:
    packages = ", ".join(f"{name} {version(name)}" for name in ("accelerate", "deepspeed", "transformers", "torch"))
    told = sum(bool(verdict.errors) for verdict in refused)
    wrongly = sum(bool(verdict.errors) for verdict in accepted)
    rest = [linted(file) for file in others()]
    return [
        "# `fsds lint` on real files",
        "",
        "Config files that people published. What upstream says of each is asked of Accelerate's loader and launch",
        "code, `Accelerator()`, `prepare()` up to `deepspeed.initialize`, and `DeepSpeedConfig`, without launching",
        f"({packages}). A DeepSpeed JSON goes through a minimal Accelerate",
        "file for 8 processes. Written by `python -m tests.lint.corpus_report`; `tests/lint/test_corpus.py` holds it.",
        "",
        f"- {len(found)} files: upstream refuses {len(refused)}, of which {told} have an error here.",
        f"- {len(accepted)} are accepted, of which {wrongly} have an error, since something else runs than is written.",
        f"- {len(rest)} further files (Trainer, axolotl and others): {sum(report is not None for report in rest)} are",
        "  configs, the others are passed over.",
    ]


def _refused(verdicts: list[Verdict]) -> list[str]:
    lines = ["", "## Refused by upstream", "", "| file | upstream raises | `fsds lint` |", "|---|---|---|"]
    for verdict in verdicts:
        why = verdict.refused
        error = f"{why.error_type}: {_short(why.message)}" if why else ""
        told = "<br>".join(_told(verdict)) or "nothing"
        lines.append(f"| {verdict.name} | {error} | {told} |")
    return lines


def _accepted(verdicts: list[Verdict]) -> list[str]:
    head = "## Accepted by upstream, and an error here: what is written is not what runs"
    lines = ["", head, "", "| file | `fsds lint` | what happens |", "|---|---|---|"]
    for verdict in verdicts:
        reasons = "<br>".join(_short(found.note) for found in verdict.errors)
        lines.append(f"| {verdict.name} | {'<br>'.join(_told(verdict))} | {reasons} |")
    return lines


def _told(verdict: Verdict) -> list[str]:
    told = []
    for found in verdict.errors:
        span = found.place.span
        told.append(f"{f'{span.line}:{span.column}' if span else 'file'} {found.code} {_short(found.message)}")
    return told


def _by_rule(found: tuple[Verdict, ...]) -> list[str]:
    times: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for verdict in found:
        codes = [finding.diagnostic.code for finding in verdict.report.findings] if verdict.report else []
        times.update(codes)
        files.update(set(codes))
    lines = ["", "## Findings by rule", "", "| rule | severity | findings | files |", "|---|---|---|---|"]
    for code in sorted(times):
        rule = catalog()[code]
        name = f"[{code}](../rules/{code}.md) {rule.name}"
        lines.append(f"| {name} | {rule.severity.value} | {times[code]} | {files[code]} |")
    return lines


def _short(text: str) -> str:
    """One line without what belongs to one machine."""
    line = " ".join(text.split()).replace("|", "\\|").replace(f"{corpus.ROOT}/", "")
    line = re.sub(r"(?<![\w.])/(?:home|mnt|data|root|tmp|work)/[^\s`\"'<]*", "/...", line)
    return line if len(line) <= 110 else f"{line[:110]}..."


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
