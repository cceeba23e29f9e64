"""The memory of a rank, against bytes a parameter counted by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from fsds_convert.containers import accelerate_file, deepspeed_json
from fsds_convert.containers.reading import Reading
from fsds_convert.errors import FsdsError
from fsds_convert.precision.memory import KINDS, memory_of, rows
from fsds_convert.precision.parameters import ModelSize
from fsds_convert.settings.context import Context
from fsds_convert.syntax.source import load

CASES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "memory.yaml").read_text(encoding="utf-8"))
PARAMETERS = 8_000_000
BUFFERS = ("bucket", "gathered", "unit", "sub-group")


def reading_of(case: dict[str, Any]) -> tuple[Reading, Context]:
    context = Context(model_dtype=case["dtype"], num_processes=8, gpus_per_node=case.get("gpus_per_node"))
    source = load(json.dumps(case.get("file") or case["json"]).encode(), "case.json", format="json")
    return (accelerate_file if "file" in case else deepspeed_json).read(source, context), context


def bytes_of(text: Any) -> int:
    """`2/8 + 2/4` bytes a parameter, as bytes."""
    return int(sum(Fraction(part.replace(" ", "")) for part in str(text).split("+")) * PARAMETERS)


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_bytes_are_those_counted_by_hand(case: dict[str, Any]) -> None:
    memory = memory_of(*reading_of(case), ModelSize(PARAMETERS))
    assert [memory.size("device", kind) for kind in KINDS[:3]] == [bytes_of(text) for text in case["device"]]
    assert memory.size("host", *KINDS) == bytes_of(case.get("host", 0))
    transient = [part for part in memory.parts if part.of == "transient" and part.at == "device"]
    scaling = sum(part.size or 0 for part in transient if not any(word in part.what for word in BUFFERS))
    if "transient" in case:
        gathered = [part for part in transient if part.what.startswith("the whole model gathered")]
        assert scaling + sum(part.size or 0 for part in gathered) == bytes_of(case["transient"])


def test_every_part_is_reached() -> None:
    found = set()
    more = [
        {"json": {"zero_optimization": {"stage": 2, "overlap_comm": True}, "bf16": {"enabled": True}}, "dtype": "fp32"},
        {"file": {"distributed_type": "MULTI_GPU", "mixed_precision": "bf16", "num_processes": 8}, "dtype": "fp32"},
    ]
    for case in (*CASES.values(), *more):
        found |= {part.what for part in memory_of(*reading_of(case), ModelSize(PARAMETERS)).parts}
    fsdp = memory_of(*reading_of(CASES["fsdp-mixed"]), ModelSize(PARAMETERS), steps=4)
    found |= {part.what for part in fsdp.parts}
    assert {row.what for row in rows()} == found
    assert fsdp.size("device", "gradients") == bytes_of("4/8 + 2")  # and what no_sync keeps


def test_layers_make_the_transient_known() -> None:
    reading, context = reading_of(CASES["fsdp-mixed"])
    unknown = memory_of(reading, context, ModelSize(PARAMETERS))
    known = memory_of(reading, context, ModelSize(PARAMETERS, layer=1_000_000, hidden=64))
    assert unknown.size("device", "transient") == 0
    assert len(unknown.not_counted) == 2
    assert known.size("device", "transient") == 3 * 2 * 1_000_000  # two gathered units and one of gradients, bf16
    assert known.not_counted == ()


@pytest.mark.parametrize("hidden", [None, 64])
def test_auto_bucket_follows_the_hidden_size(hidden: int | None) -> None:
    case = {"json": {"zero_optimization": {"stage": 3, "reduce_bucket_size": "auto"}}, "dtype": "fp32"}
    memory = memory_of(*reading_of(case), ModelSize(PARAMETERS, hidden=hidden))
    (bucket,) = [part for part in memory.parts if part.what == "the reduce bucket"]
    assert bucket.size == (None if hidden is None else 64 * 64 * 4)


def test_what_is_not_known_is_asked_for() -> None:
    reading, context = reading_of({**CASES["fsdp-all-bf16"], "dtype": None})
    with pytest.raises(FsdsError, match="dtype that the model is loaded in"):
        memory_of(reading, context, ModelSize(PARAMETERS))
    alone = deepspeed_json.read(load(b'{"zero_optimization": {"stage": 3}}', "ds.json"), Context())
    with pytest.raises(FsdsError, match="how many processes run"):
        memory_of(alone, Context(), ModelSize(PARAMETERS))
