"""Real files: the rows agree with the plan, and a converted file with what the conversion promised."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fsds_convert.cli.options import read
from fsds_convert.containers.reading import Reading
from fsds_convert.convert.convert import convert
from fsds_convert.convert.target import target_of
from fsds_convert.errors import FsdsError
from fsds_convert.precision.converted import reread
from fsds_convert.precision.rows import STAGES, by_stage, precision_of
from fsds_convert.settings.context import Context, ModelDtype
from fsds_convert.transfer.options import Options
from tests.oracle import corpus

from .test_precision import assert_plan_agrees, shown

pytestmark = pytest.mark.skipif(not any(corpus.files()), reason="the corpus of real files is not here")

DTYPES: tuple[ModelDtype | None, ...] = ("fp32", "bf16", "fp16", None)
PROMISED = ("compute", "master_weights", "optimizer_states")


def readings(context: Context, *kinds: str) -> Iterator[Reading]:
    for path, _ in corpus.files(*kinds):
        try:
            reading = read(str(path), None, context)
            reading.require_deepspeed_file()
        except FsdsError:
            continue
        yield reading


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_agree_with_the_plan(dtype: ModelDtype | None) -> None:
    context = Context(model_dtype=dtype, num_processes=8)
    count = 0
    for reading in readings(context, "accelerate-", "deepspeed-json"):
        rows = precision_of(reading, context)
        assert tuple(row.stage for row in rows) == STAGES
        assert_plan_agrees(reading, context)
        count += 1
    assert count > 100


@pytest.mark.parametrize("dtype", DTYPES[:3])
@pytest.mark.parametrize("target", ["fsdp1", "fsdp2", "deepspeed"])
def test_converted_file_has_the_promised_dtypes(target: str, dtype: ModelDtype) -> None:
    context = Context(model_dtype=dtype, num_processes=8)
    for reading in readings(Context(model_dtype=dtype), "accelerate-"):
        try:
            conversion = convert(reading, target_of(target), context, Options())
        except FsdsError:
            continue
        after = reread(conversion, context)
        if after is None:
            continue
        found = by_stage(precision_of(after, context))
        plan = conversion.adapted.plan.precision
        promised = {stage: shown(getattr(plan, stage).value) for stage in PROMISED}
        assert {stage: found[stage] for stage in PROMISED} == promised, (reading.source.name, target, dtype)
