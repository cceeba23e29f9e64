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
    yield f"{_title(conversion)}: {summary(conversion)}"


def _title(conversion: Conversion) -> str:
    engine = "accelerate-ddp" if conversion.engine == "ddp" else conversion.target.name
    return f"{conversion.reading.source.name}: {conversion.reading.dialect} -> {engine}"


def _row_lines(row: ReportRow) -> Iterator[str]:
    code = f" [{row.code}]" if row.code else ""
    place = f"{row.place}: " if row.place else ""
    yield f"{place}{row.fidelity.value}{code} {row.before} -> {row.after}"
    if row.reason:
        effect = f"{row.effect}: " if row.effect != "none" else ""
        yield f"    {effect}{row.reason}"


def print_table(conversion: Conversion, width: int) -> None:
    """The same on a terminal, to stderr, as a table of `width` columns."""
    from rich.console import Console
    from rich.table import Table

    console = Console(stderr=True, width=width, highlight=False)
    for line in finding_lines(conversion.findings):
        console.print(line, markup=False)
    table = Table(title=_title(conversion), title_justify="left")
    for column in ("fidelity", "source", "target", "what differs"):
        table.add_column(column, overflow="fold")
    colours = {"exact": "green", "automatic": "green", "approximate": "yellow", "dropped": "yellow", "refused": "red"}
    for row in report_rows(conversion):
        effect = f"{row.effect}: " if row.effect != "none" else ""
        why = f"{effect}{row.reason}" + (f" ({row.code})" if row.code else "")
        table.add_row(row.fidelity.value, row.before, row.after, why, style=colours[row.fidelity.value])
    console.print(table, markup=False)
    lines = script_lines(conversion)
    if lines:
        console.print("the training script and what is around it:")
        for line in lines:
            console.print(f"  - {line}", markup=False)
    console.print(summary(conversion))
