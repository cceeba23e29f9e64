"""The report of a conversion as plain lines, or as a table on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from fsds_convert.convert.conversion import Conversion
from fsds_convert.report.conversion import ReportRow, report_rows, script_lines, summary
from fsds_convert.report.findings import finding_lines


def report_lines(conversion: Conversion) -> Iterator[str]:
    """Findings, one line for each setting with its reason below, the script's part, and a summary."""
    yield from finding_lines(conversion.findings)
    for row in report_rows(conversion):
        yield from _row_lines(row)
    lines = script_lines(conversion)
    if lines:
        yield "the training script and what is around it:"
        yield from (f"  - {line}" for line in lines)
    yield f"{title(conversion)}: {summary(conversion)}"


def title(conversion: Conversion) -> str:
    engine = "accelerate-ddp" if conversion.engine == "ddp" else conversion.target.name
    return f"{conversion.reading.source.name}: {conversion.reading.dialect} -> {engine}"


def _row_lines(row: ReportRow) -> Iterator[str]:
    code = f" [{row.code}]" if row.code else ""
    place = f"{row.place}: " if row.place else ""
    yield f"{place}{row.fidelity.value}{code} {row.before} -> {row.after}"
    if row.reason:
        effect = f"{row.effect}: " if row.effect != "none" else ""
        yield f"    {effect}{row.reason}"
