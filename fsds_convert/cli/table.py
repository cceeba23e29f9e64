"""The report of a conversion as a table on a terminal."""

from __future__ import annotations

import os

from rich.console import Console
from rich.table import Table

from fsds_convert.convert.conversion import Conversion
from fsds_convert.report.conversion import report_rows, script_lines, summary
from fsds_convert.report.conversion_text import title
from fsds_convert.report.findings import finding_lines

_COLOURS = {"exact": "green", "automatic": "green", "approximate": "yellow", "dropped": "yellow", "refused": "red"}


def print_table(conversion: Conversion, width: int) -> None:
    """The same on a terminal, to stderr, as a table of `width` columns."""
    console = Console(
        stderr=True,
        width=width,
        color_system=None if os.environ.get("NO_COLOR") else "auto",  # with no_color rich still writes bold and italics
        highlight=False,
        markup=False,
        emoji=False,
    )
    for line in finding_lines(conversion.findings):
        console.print(line)
    table = Table(title=title(conversion), title_justify="left")
    for column in ("fidelity", "source", "target", "what differs"):
        table.add_column(column, overflow="fold")
    for row in report_rows(conversion):
        effect = f"{row.effect}: " if row.effect != "none" else ""
        why = f"{effect}{row.reason}" + (f" ({row.code})" if row.code else "")
        table.add_row(row.fidelity.value, row.before, row.after, why, style=_COLOURS[row.fidelity.value])
    console.print(table)
    lines = script_lines(conversion)
    if lines:
        console.print("the training script and what is around it:")
        for line in lines:
            console.print(f"  - {line}")
    console.print(summary(conversion))
