"""Where a key belongs that stands in the wrong section."""

from __future__ import annotations

from fsds_convert.tables.load import load_table
from fsds_convert.tables.table import Table

# the sections of an Accelerate file, and their tables
_SECTIONS = ("fsdp", "deepspeed-inline", "parallelism", "dynamo", "fp8")


def home(table: Table, name: str) -> str | None:
    """The section that the key belongs in, `""` for the top of the file; None where it is known nowhere else."""
    if table.name == "deepspeed-json":
        return next((row.key.rpartition(".")[0] for row in table if row.name == name and "." in row.key), None)
    if table.name == "accelerate":
        tables = (load_table(other) for other in _SECTIONS)
        return next((other.section for other in tables if f"{other.section}.{name}" in other.by_key), None)
    if table.name in _SECTIONS:
        return "" if name in load_table("accelerate").by_key else None
    return None
