"""Two files side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fsds_convert.compare import Difference
from fsds_convert.diagnostics import Diagnostic
from fsds_convert.report.findings import finding_json
from fsds_convert.report.values import plain, shown_field
from fsds_convert.transfer.rows import Fidelity


def comparison_lines(differences: Sequence[Difference]) -> Iterator[str]:
    """A line for each field that is not simply the same, with the reason below it."""
    groups: dict[tuple[str, str], list[Difference]] = {}
    for item in differences:
        if item.rank > Fidelity.AUTOMATIC.rank:
            groups.setdefault((item.verdict, item.reason or item.field), []).append(item)
    for items in sorted(groups.values(), key=lambda items: items[0].rank):
        for item in items:
            left, right = (shown_field(item.field, side.value) for side in (item.left, item.right))
            places = " | ".join(str(side.origin) for side in (item.left, item.right) if str(side.origin))
            yield f"{item.verdict} {item.field}: {left} | {right}" + (f" ({places})" if places else "")
        if items[0].reason:
            yield f"    {items[0].reason}"
    counts: dict[str, int] = {}
    for item in differences:
        counts[item.verdict] = counts.get(item.verdict, 0) + 1
    yield ", ".join(f"{count} {verdict}" for verdict, count in counts.items())


def comparison_json(
    left: str, right: str, differences: Sequence[Difference], findings: Sequence[Diagnostic]
) -> dict[str, Any]:
    """Every field with both values and the verdict; then what was found in either file."""
    return {
        "format_version": "1",
        "left": left,
        "right": right,
        "fields": [
            {
                "field": item.field,
                "verdict": item.verdict,
                "left": plain(item.left.value),
                "right": plain(item.right.value),
                "left_from": str(item.left.origin),
                "right_from": str(item.right.origin),
                "reason": item.reason,
            }
            for item in differences
        ],
        "findings": [finding_json(found) for found in findings],
    }
