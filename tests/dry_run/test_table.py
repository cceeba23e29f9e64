"""mappings/dry-run.yaml against the code that it names."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from fsds_convert.dry_run.environment import PATCHES
from fsds_convert.dry_run.job import Job
from fsds_convert.dry_run.table import impossible, needs_of, scenarios, stage_rules, tolerance_of
from fsds_convert.plan.training_plan import FIELDS
from fsds_convert.precision.rows import STAGES
from fsds_convert.tables.load import load_document, load_table

from .configs import config, read

DOCUMENT = load_document("dry-run")
KEYS = {row.key for row in load_table("deepspeed-json")}


def test_every_stage_has_a_rule() -> None:
    assert tuple(stage_rules()) == STAGES


def test_a_difference_that_is_allowed_has_a_reason() -> None:
    assert [name for name, rule in stage_rules().items() if rule.same == bool(rule.why)] == []


def test_patches_are_functions() -> None:
    assert {row["patch"] for row in DOCUMENT["needs"] if "patch" in row} == set(PATCHES)


def test_scenarios_change_what_a_job_has() -> None:
    known = {field.name for field in fields(Job)} | {"clip"}
    assert {name for scenario in scenarios() for name in scenario.job} <= known
    assert not scenarios()[0].job


@pytest.mark.parametrize("row", [*DOCUMENT["needs"], *DOCUMENT["impossible"]], ids=lambda row: row["why"][:40])
def test_conditions_name_plan_fields_or_settings(row: dict[str, Any]) -> None:
    assert {name for part in ("when", "not", "unless_written") for name in row.get(part, {})} <= {*FIELDS, *KEYS}


@pytest.mark.parametrize(
    ("base", "top", "inside", "loud", "quiet"),
    [
        ("fsdp1", {}, {}, ["fsdp1-loads-on-every-rank"], ["gloo", "fsdp1-consolidation"]),
        ("fsdp1", {}, {"fsdp_sync_module_states": False, "fsdp_cpu_ram_efficient_loading": False}, [], None),
        ("fsdp1", {}, {"fsdp_sync_module_states": False}, [], None),  # refused by the launcher, and so it stays
        (
            "fsdp1",
            {},
            {"fsdp_sync_module_states": True, "fsdp_offload_params": True},
            ["fsdp1-loads-on-every-rank", "fsdp1-offload-stays-off"],
            ["gloo", "fsdp1-consolidation"],
        ),
        ("fsdp1", {"mixed_precision": "fp16"}, {}, ["fsdp1-loads-on-every-rank", "fsdp-fp16-scaler"], None),
        ("fsdp2", {}, {}, [], ["gloo"]),
        ("fsdp2", {}, {"fsdp_offload_params": True}, ["fsdp2-offload-unpinned"], ["gloo"]),
        ("fsdp2", {"dynamo_config": {"dynamo_backend": "INDUCTOR"}}, {}, ["no-compile"], ["gloo"]),
        ("deepspeed", {}, {}, [], ["no-shm-op", "gloo"]),
        ("deepspeed", {"mixed_precision": "fp16"}, {}, ["deepspeed-fp16-on-cpu"], None),
        ("deepspeed", {}, {"offload_optimizer_device": "cpu"}, ["torch-adam-for-offload"], None),
        (
            "deepspeed",
            {},
            {"offload_optimizer_device": "nvme", "offload_optimizer_nvme_path": "/nvme"},
            ["torch-adam-for-offload", "nvme-optimizer-in-memory"],
            None,
        ),
        ("ddp", {}, {}, [], ["gloo", "plain-ddp-on-cpu"]),
    ],
)
def test_needs_of_a_cpu(
    base: str, top: dict[str, Any], inside: dict[str, Any], loud: list[str], quiet: list[str] | None
) -> None:
    needs = needs_of(read(config(base, top, inside)), "cpu")
    assert [need.name for need in needs if not need.quiet] == loud
    if quiet is not None:
        assert [need.name for need in needs if need.quiet] == quiet


def test_a_gpu_needs_nothing() -> None:
    assert [
        need for base in ("fsdp1", "fsdp2", "deepspeed", "ddp") for need in needs_of(read(config(base)), "cuda")
    ] == []


def test_a_full_checkpoint_of_fsdp1_is_only_changed_where_one_is_written() -> None:
    reading = read(config("fsdp1", {}, {"fsdp_state_dict_type": "FULL_STATE_DICT"}))
    names = [{need.name for need in needs_of(reading, "cpu", scenario)} for scenario in ("", "checkpoint")]
    assert names[1] - names[0] == {"fsdp1-sharded-checkpoint"}


@pytest.mark.parametrize(
    ("base", "top", "device", "found"),
    [
        ("fsdp2", {"mixed_precision": "fp8"}, "cpu", ["fp8 needs a GPU with Transformer Engine, MS-AMP or torchao"]),
        ("fsdp2", {"mixed_precision": "fp8"}, "cuda", []),
        ("fsdp2", {}, "cpu", []),
        (
            "fsdp2",
            {"parallelism_config": {"parallelism_config_cp_size": 2}},
            "cuda",
            ["context parallelism is not dry-run"],
        ),
    ],
)
def test_what_cannot_be_run(base: str, top: dict[str, Any], device: str, found: list[str]) -> None:
    assert list(impossible(read(config(base, top)), device)) == found


@pytest.mark.parametrize(
    ("facts", "loss"),
    [
        ({"compute": "fp32", "master": "fp32", "loaded": "fp32"}, 1e-5),
        ({"compute": "bf16", "master": "fp32", "loaded": "bf16"}, 1e-3),
        ({"compute": "bf16", "master": "fp32", "loaded": "fp32"}, 5e-3),
        ({"compute": "bf16", "master": "fp32", "loaded": ""}, 5e-3),
        ({"compute": "bf16", "master": "bf16", "loaded": "bf16"}, 1e-3),
        ({"compute": "bf16", "master": "fp32", "loaded": "bf16", "zero0_16bit": True}, None),
        ({"compute": "bf16", "master": "fp32", "loaded": "bf16", "replicated_by_autocast": True}, 1e-2),
    ],
)
def test_tolerances(facts: dict[str, Any], loss: float | None) -> None:
    assert tolerance_of(facts).loss == loss
