"""The memory of a rank, of one or several runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fsds_convert.precision.memory import KINDS, PLACES, Memory
from fsds_convert.precision.parameters import ModelSize
from fsds_convert.report.precision import table

_GIB = 2**30
_STEADY = KINDS[:3]


def memory_lines(
    model: ModelSize, runs: Sequence[tuple[str, Memory]], refused: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """A line for each run: what a rank holds on its device, for how long, and on the host."""
    yield f"memory of a rank in GiB, for {model.parameters:,} parameters trained with AdamW, without activations"
    header = ("", *_STEADY, "together", "transient", "host", "nvme")
    yield from table([header, *(_cells(name, memory) for name, memory in runs)])
    for name, why in refused:
        yield f"{name}: no counterpart: {why}"
    missing = dict.fromkeys(what for _, memory in runs for what in memory.not_counted)
    if missing:
        yield f"not counted without --model-config: {'; '.join(missing)}"


def _cells(name: str, memory: Memory) -> tuple[str, ...]:
    device = (memory.size("device", kind) for kind in _STEADY)
    rest = (memory.size(place, *KINDS) for place in PLACES[1:])
    sizes = (*device, memory.size("device", *_STEADY), memory.size("device", "transient"), *rest)
    return name, *(f"{size / _GIB:.2f}" if size else "-" for size in sizes)


def memory_json(memory: Memory) -> dict[str, Any]:
    """Bytes by place and kind, and every part of them."""
    return {
        **{place: {kind: memory.size(place, kind) for kind in KINDS} for place in PLACES},
        "parts": [
            {"of": part.of, "at": part.at, "bytes": part.size, "what": part.what, "source": part.source}
            for part in memory.parts
        ],
        "not_counted": list(memory.not_counted),
    }
