"""What is held to be the same."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from fsds_convert.dry_run.observation import Observation
from fsds_convert.dry_run.table import Tolerance, stage_rules
from fsds_convert.dry_run.verdict import (
    Check,
    Rules,
    farthest,
    loss_check,
    matches,
    pair_checks,
    predicted_checks,
    relative,
    side_checks,
    tolerance_facts,
)

from .configs import config, read

TOLERANCE = Tolerance(1e-3, 0.02, 20, "because")
RULES = Rules(stage_rules(), TOLERANCE)
SEEN = Observation(
    stages=dict.fromkeys(stage_rules(), "fp32"),
    buffers_loaded="fp32",
    losses=(4.9, 4.8),
    norms=(1.3, 1.2),
    step_norms=(1.0, 1.0),
    elements=(50, 50),
    copies=1.0,
    trainable=100,
    total=100,
    updated=90,
    sampled=100,
    skipped=0,
    asked_steps=2,
    accumulation=1,
    processes=2,
    seconds=1.0,
    held=({}, {}),
    collectives=(),
)


@pytest.mark.parametrize(
    ("predicted", "observed", "same"),
    [
        ("fp32", "fp32", True),
        ("fp32", "bf16", False),
        ("bf16 or fp32", "fp32", True),
        ("bf16 or fp32", "bf16 and fp32", True),
        ("bf16 or fp32", "fp16", False),
        ("bf16 and fp32", "fp32 and bf16", True),
        ("bf16 and fp32", "bf16", False),
        ("1", "1.0", True),
        ("1.0", "0.5", False),
        ("none", "1.0", False),
        ("on the command line", "bf16", True),
        ("by the script", "by the script", True),
        ("by the script", "1.0", False),
    ],
)
def test_matches(predicted: str, observed: str, same: bool) -> None:
    assert matches(predicted, observed) is same


def test_buffers_are_as_they_were_loaded() -> None:
    assert matches("as loaded", "fp32", "fp32")
    assert not matches("as loaded", "bf16", "fp32")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [((1.0, 2.0), (1.0, 2.5), 0.5), ((1.0,), (math.nan,), math.inf), ((), (), math.inf), ((1.0, 9.0), (1.0, 2.0), 0.0)],
)
def test_farthest(left: tuple[float, ...], right: tuple[float, ...], expected: float) -> None:
    assert farthest(left, right, 1 if left == (1.0, 9.0) else 20) == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"), [(1.0, 1.0, 0.0), (0.0, 0.0, 0.0), (1.0, 2.0, 0.5), (1.0, math.nan, math.inf)]
)
def test_relative(left: float, right: float, expected: float) -> None:
    assert relative(left, right) == expected


def failed(checks: Any) -> list[str]:
    return [check.name for check in checks if not check.passed]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"losses": (4.9, 4.802)}, ["loss"]),
        ({"losses": (4.9, 4.8005)}, []),
        ({"norms": (1.5, 1.2)}, ["gradient norm"]),
        ({"step_norms": (0.5, 1.0)}, ["norm at the step"]),
        ({"stages": {**SEEN.stages, "master_weights": "bf16"}}, ["master_weights"]),
        ({"stages": {**SEEN.stages, "output": "bf16"}}, []),
        ({"stages": {}}, []),
    ],
)
def test_pairs(change: dict[str, Any], expected: list[str]) -> None:
    assert failed(pair_checks(SEEN, replace(SEEN, **change), RULES)) == expected


def test_losses_that_are_not_comparable_fail_nothing() -> None:
    check = loss_check((4.9,), (3.0,), Tolerance(None, 0.05, 20, "ZeRO-0"))
    assert (check.status, check.why) == ("allowed", "1.9e+00 apart, not comparable: ZeRO-0")


@pytest.mark.parametrize(
    ("base", "inside", "change", "expected"),
    [
        ("fsdp1", {}, {}, []),
        ("fsdp1", {}, {"copies": 2.0}, ["sharded"]),
        ("fsdp1", {"fsdp_sharding_strategy": "NO_SHARD"}, {"copies": 2.0}, []),
        ("fsdp1", {"fsdp_sharding_strategy": "NO_SHARD"}, {}, ["sharded"]),
        ("deepspeed", {"zero_stage": 0}, {"copies": 2.0}, []),
        ("deepspeed", {"zero_stage": 1}, {}, []),
        ("fsdp1", {}, {"processes": 1, "copies": 1.0}, ["processes"]),
        ("fsdp1", {}, {"step_norms": (1.0,)}, ["steps taken"]),
        ("fsdp1", {}, {"updated": 0}, ["weights updated"]),
        ("fsdp1", {}, {"losses": (math.nan,)}, ["finite"]),
        ("fsdp1", {}, {"checkpoint": {"replay": 0.0, "merge": None}}, []),
        ("fsdp1", {}, {"checkpoint": {"replay": 1e-3, "merge": None}}, ["load_state and on"]),
        ("fsdp1", {}, {"checkpoint": {"replay": 0.0, "merge": {"error": "OSError: no"}}}, ["merge"]),
        (
            "fsdp1",
            {},
            {"checkpoint": {"replay": 0.0, "merge": {"difference": 1.0, "elements": 100, "dtypes": ["float32"]}}},
            ["merge"],
        ),
    ],
)
def test_sides(base: str, inside: dict[str, Any], change: dict[str, Any], expected: list[str]) -> None:
    reading = read(config(base, {}, inside))
    assert failed(side_checks(reading, replace(SEEN, **change), 2)) == expected


@pytest.mark.parametrize(("elements", "expected"), [(2, []), (3, []), (100, ["sharded"]), (0, ["sharded"])])
def test_a_fake_world_shows_the_shard_of_one_rank(elements: int, expected: list[str]) -> None:
    seen = replace(SEEN, processes=50, elements=(elements,), copies=elements / 100)
    assert failed(side_checks(read(config("fsdp2")), seen, 50, fake=True)) == expected


def test_predicted_against_observed() -> None:
    seen = replace(SEEN, stages={"compute": "bf16", "saved": "fp32", "loss_scaler": "dynamic"})
    predicted = {"compute": "bf16", "saved": "bf16", "frozen": "bf16", "loss_scaler": "none"}
    found = list(predicted_checks(predicted, seen, ("loss_scaler",)))
    assert [(check.name, check.status) for check in found] == [
        ("compute", "same"),
        ("saved", "differs"),
        ("frozen", "not seen"),
        ("loss_scaler", "not seen"),
    ]
    assert found[1] == Check("saved", "differs", "bf16", "fp32")


def test_zero0_in_16_bits_is_not_comparable() -> None:
    zero0 = read(config("deepspeed", {}, {"zero_stage": 0}))
    seen = replace(SEEN, stages={**SEEN.stages, "compute": "bf16"})
    assert tolerance_facts(read(config("fsdp1")), zero0, seen, seen)["zero0_16bit"]
    assert not tolerance_facts(zero0, zero0, seen, seen)["zero0_16bit"]
