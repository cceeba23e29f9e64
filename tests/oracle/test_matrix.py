"""Generated files: the product over all enumerations, and mixtures that hypothesis finds, with the same oracles."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

pytest.importorskip("accelerate")
pytest.importorskip("deepspeed")

from fsds_convert.settings.context import Context
from fsds_convert.tables.load import load_table
from fsds_convert.transfer.options import Options

from . import corpus, matrix
from .agreement import agreement
from .conversions import ENGINE_TARGETS, broken_promises, converted, lost_on_the_way_back, read, refusals

PARTS = 24
DIALECTS: dict[str, Callable[[], Iterator[matrix.Text]]] = {
    "fsdp1": matrix.fsdp1,
    "fsdp2": matrix.fsdp2,
    "deepspeed-inline": matrix.deepspeed_inline,
    "deepspeed-json": matrix.deepspeed_json,
}


def test_the_matrix_is_large_enough() -> None:
    assert sum(1 for texts in DIALECTS.values() for _ in texts()) >= 5000


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_combination(dialect: str, part: int, tmp_path: Path) -> None:
    """Each config agrees with upstream, and its conversion to one target after the other keeps all promises."""
    wrong = []
    for number, (suffix, text) in enumerate(islice(DIALECTS[dialect](), part, None, PARTS)):
        path = tmp_path / f"config{suffix}"
        path.write_text(text, encoding="utf-8")
        for problem in _problems(path, number):
            wrong.append(f"{problem}\n{text}")
    assert "\n".join(wrong[:3]) == ""


def _problems(path: Path, number: int) -> Iterator[str]:
    target = ENGINE_TARGETS[number % len(ENGINE_TARGETS)]
    context = Context(model_dtype=(None, "bf16", "fp32")[number // len(ENGINE_TARGETS) % 3])
    if path.suffix == ".json":
        context = replace(context, num_processes=8, num_machines=1)
    reading = read(path, context)
    if reading.launches:
        yield from (f"{pair}" for pair in _agreement(path) if not pair.agrees)
    done = converted(reading, target, context, Options(allow_lossy=number % 2 == 0), path.parent)
    if done is None or done.unchanged:
        return
    unasked = replace(context, consumer="trainer")  # upstream is asked below, where the model's dtype does not matter
    yield from (f"to {target}: {problem}" for problem in broken_promises(done, unasked))
    if done.back.launches:
        yield from (f"to {target}: {problem}" for problem in refusals(done, 8))
    if number % 2:
        yield from (
            f"by {target}: {problem}" for problem in lost_on_the_way_back(done, context, Options(), path.parent)
        )


def _agreement(path: Path) -> list[Any]:
    if path.suffix != ".json":
        return agreement(path)
    with corpus.referring_to(path) as yaml:
        return agreement(yaml)


def _values(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Any keys of a table with legal and illegal values."""
    odd = st.sampled_from([None, True, False, 0, 1, 2, 3, "true", "false", "no", "auto", "none", 1.5, "", [], "5e8"])
    keys = {}
    for row in load_table(name):
        spelled = st.sampled_from([*row.values, *row.aliases]) if row.values else odd
        keys[row.name] = st.one_of(spelled, spelled, odd)
    return st.fixed_dictionaries({}, optional=keys).map(lambda chosen: dict(list(chosen.items())[:6]))


FSDP = st.builds(
    lambda keys, mode, version: {
        "distributed_type": "FSDP",
        "num_processes": 8,
        "mixed_precision": mode,
        "fsdp_config": {"fsdp_version": version, **keys},
    },
    _values("fsdp"),
    st.sampled_from(["no", "bf16", "fp16"]),
    st.sampled_from([1, 2]),
)
DEEPSPEED = st.builds(
    lambda keys, mode: {
        "distributed_type": "DEEPSPEED",
        "num_processes": 8,
        "mixed_precision": mode,
        "deepspeed_config": {key: value for key, value in keys.items() if key != "deepspeed_config_file"},
    },
    _values("deepspeed-inline"),
    st.sampled_from(["no", "bf16", "fp16"]),
)


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)
@given(config=st.one_of(FSDP, DEEPSPEED), number=st.integers(0, 23))
def test_any_mixture_of_values(config: dict[str, Any], number: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever is written: no exception, upstream's settings where it launches, and conversions that keep promises."""
    path = tmp_path_factory.mktemp("mixture") / "config.yaml"
    path.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    assert list(_problems(path, number)) == []
