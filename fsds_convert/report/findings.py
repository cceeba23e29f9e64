"""Findings as lines, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fsds_convert.diagnostics import Diagnostic


def finding_lines(findings: Iterable[Diagnostic]) -> Iterator[str]:
    """`file:line:col: severity[code] message`, then what happens at run time and what to write instead."""
    for found in findings:
        lines = [str(found), f"    {found.note}" if found.note else "", f"    help: {found.help}" if found.help else ""]
        yield from (line.replace("\n", "\\n") for line in lines if line)


def finding_json(found: Diagnostic) -> dict[str, Any]:
    """One finding; line and column count from 1."""
    span = found.place.span
    return {
        "code": found.code,
        "name": found.name,
        "severity": found.severity.value,
        "message": found.message,
        "note": found.note,
        "help": found.help,
        "file": found.place.name,
        "line": span.line if span else None,
        "column": span.column if span else None,
    }
