"""The dtypes of a step, of one file or of two side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fsds_convert.engines.stages import stages
from fsds_convert.precision.differences import Difference
from fsds_convert.precision.rows import PrecisionRow, by_stage, mode_name
from fsds_convert.tables.load import load_document

_HEADER = ("stage", "dtype", "why")


def name_lines(name: str, dialect: str, rows: Sequence[PrecisionRow]) -> Iterator[str]:
    """`train.yaml: accelerate-fsdp2, mixed-precision: 16-bit compute over ...`."""
    known = mode_name(by_stage(tuple(rows)))
    about = f", {known}: {load_document('precision')['modes'][known]['about']}" if known else f", {_NOT_NAMED}"
    yield f"{name}: {dialect}{about}"


_NOT_NAMED = "in none of the named modes, or --model-dtype decides"


def precision_lines(rows: Sequence[PrecisionRow]) -> Iterator[str]:
    """A line for each stage with the reason."""
    yield from table([_HEADER, *((row.stage, row.value, row.why) for row in rows)])


def difference_lines(left: str, right: str, pairs: Sequence[Difference]) -> Iterator[str]:
    """Both dtypes of each stage; `!` marks those that differ, with what that does to training and why it is so."""
    cells = [("stage", left, right), *((pair.stage, pair.left.value, pair.right.value) for pair in pairs)]
    head, *lines = table(cells)
    yield f"  {head}"
    for pair, line in zip(pairs, lines, strict=True):
        yield f"{'!' if pair.differs else ' '} {line}"
        if pair.differs:
            yield f"      {pair.effect}"
            for side, row in ((left, pair.left), (right, pair.right)):
                yield f"      {side}: {row.why}"
    count = sum(pair.differs for pair in pairs)
    yield f"{count} of {len(pairs)} stages differ" if count else "the same in every stage"


def change_lines(changes: Sequence[Difference]) -> Iterator[str]:
    """The stages that a conversion changes."""
    if changes:
        yield "precision that changes:"
        for change in changes:
            yield f"  {change.stage}: {change.left.value} -> {change.right.value}"
            yield f"    {change.effect}: {change.right.why}"


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as their widest cell; the last one as it is."""
    last = len(rows[0]) - 1
    widths = [max(len(row[column]) for row in rows) for column in range(last)]
    for row in rows:
        yield "  ".join((*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[last])).rstrip()


def rows_json(rows: Iterable[PrecisionRow]) -> list[dict[str, Any]]:
    """Every stage of one file."""
    return [
        {
            "stage": row.stage,
            "about": stages()[row.stage].about,
            "value": row.value,
            "why": row.why,
            "source": row.source,
        }
        for row in rows
    ]


def differences_json(pairs: Iterable[Difference]) -> list[dict[str, Any]]:
    """The stages that differ."""
    return [
        {
            "stage": pair.stage,
            "before": pair.left.value,
            "after": pair.right.value,
            "effect": pair.effect,
            "why": pair.right.why,
        }
        for pair in pairs
    ]
