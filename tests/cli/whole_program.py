"""Everything that `fsds` does with a file, without the parsing of arguments: what raises here ends in exit status 3."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator
from pathlib import Path

from fsds_convert.cli.options import read
from fsds_convert.compare import compare
from fsds_convert.containers.reading import Reading
from fsds_convert.convert.convert import convert
from fsds_convert.convert.target import TARGETS
from fsds_convert.errors import FsdsError
from fsds_convert.precision.converted import changes
from fsds_convert.precision.differences import differences as differing
from fsds_convert.precision.memory import memory_of
from fsds_convert.precision.parameters import ModelSize
from fsds_convert.precision.rows import precision_of
from fsds_convert.report.comparison import comparison_json, comparison_lines
from fsds_convert.report.conversion import conversion_json
from fsds_convert.report.conversion_text import report_lines
from fsds_convert.report.effective import effective_json, effective_lines
from fsds_convert.report.memory import memory_lines
from fsds_convert.report.precision import change_lines, difference_lines, precision_lines, rows_json
from fsds_convert.settings.context import Context
from fsds_convert.transfer.options import DeepspeedJson, Options, PrecisionMode

NAMES = ("fsdp1", "fsdp2", "deepspeed", "deepspeed-json")
_PLACEMENTS: tuple[DeepspeedJson, ...] = ("auto", "always", "never")
_MODES: tuple[PrecisionMode | None, ...] = (None, "mixed-precision", "memory-constrained")
_SIZE = ModelSize(1_000_000, 10_000)
_CONTEXTS = (Context(), Context(consumer="trainer"), Context(model_dtype="bf16", gpus_per_node=4))


def contexts(turn: int) -> tuple[Context, Options]:
    """One of the ways to call it; all of them come in turn."""
    options = Options(
        allow_lossy=turn % 4 != 0,
        as_executed=turn % 5 == 0,
        max_grad_norm=(None, 0.5, math.inf)[turn % 3],
        gradient_accumulation_steps=4 if turn % 7 == 0 else None,
        layer_classes=("A", "B") if turn % 6 == 0 else None,
        deepspeed_json=_PLACEMENTS[turn // 2 % 3],
        precision_mode=_MODES[turn // 3 % 3],
    )
    return _CONTEXTS[turn % 3], options


def run_all(path: Path, others: tuple[Path, ...], turn: int, targets: int = 2) -> Iterator[str]:
    """The texts of `effective`, `precision`, `compare` and of some conversions; up to what is refused."""
    context, options = contexts(turn)
    try:
        reading = read(str(path), None, context)
    except FsdsError:
        return
    yield json.dumps(effective_json(reading), allow_nan=False)
    yield from effective_lines(reading, everything=True)
    rows = precision_of(reading, context)
    yield json.dumps(rows_json(rows), allow_nan=False)
    yield from precision_lines(rows)
    with contextlib.suppress(FsdsError):  # processes or dtype are not known
        yield from memory_lines(_SIZE, [("a", memory_of(reading, context, _SIZE))], [])
    try:
        other = read(str(others[turn % len(others)]), None, context)
        for pair in ((reading, other), (other, reading), (reading, reading)):
            differences = compare(*pair, context, options)
            yield json.dumps(comparison_json("a", "b", differences, reading.findings), allow_nan=False)
            yield from comparison_lines(differences)
            yield from difference_lines("a", "b", differing(*(precision_of(side, context) for side in pair)))
        for number in range(targets):
            yield from _conversion(reading, NAMES[(turn + number) % len(NAMES)], context, options)
    except FsdsError:  # the DeepSpeed JSON that it names cannot be read
        return


def _conversion(reading: Reading, to: str, context: Context, options: Options) -> Iterator[str]:
    conversion = convert(reading, TARGETS[to], context, options)
    yield json.dumps(conversion_json(conversion), allow_nan=False)
    yield from report_lines(conversion)
    yield from change_lines(changes(conversion, context))
    for output in conversion.outputs:
        output.text.encode()
        yield output.text
