"""The launch of a side: flags, job, and every override by name."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from fsds_convert.dry_run.job import OptimizerSettings, job_of
from fsds_convert.dry_run.side import Run, Script, Side, run_of, script_of
from fsds_convert.dry_run.table import scenarios
from fsds_convert.dry_run.topology import Machine, topology_of

from .configs import config, read

SCENARIOS = {scenario.name: scenario for scenario in scenarios()}


def run(data: dict[str, Any], scenario: str = "as written", script: Script = Script()) -> Run:  # noqa: B008
    reading = read(data)
    side = Side("a.yaml", reading, "a.yaml", topology_of(reading, Machine()))
    return run_of(side, script, SCENARIOS[scenario], "cpu", Path("/work"), "as-written-1")


def loud(made: Run) -> list[str]:
    return [override.what for override in made.overrides if not override.quiet]


def test_the_users_file_is_launched_as_it_is() -> None:
    made = run(config("fsdp2"))
    assert made.launch.argv("{port}")[:8] == [
        *("--config_file", "a.yaml", "--main_process_port", "{port}", "--num_processes", "2", "--module"),
        "fsds_convert.dry_run.worker",
    ]
    assert loud(made) == []


def test_a_job_survives_the_command_line() -> None:
    job = run(config("deepspeed"), "clipping 0.5").launch.job
    assert job_of(job.to_json()) == job


@pytest.mark.parametrize(
    ("data", "scenario", "changed"),
    [
        (config("fsdp2", {"num_processes": 8}), "as written", ["--num_processes 2 for 8"]),
        (
            config("fsdp2", {}, {"fsdp_transformer_layer_cls_to_wrap": "Qwen3DecoderLayer"}),
            "as written",
            ["fsdp_transformer_layer_cls_to_wrap: LlamaDecoderLayer for Qwen3DecoderLayer"],
        ),
        (config("deepspeed"), "clipping 0.5", ["gradient_clipping: 0.5"]),
        (config("deepspeed"), "no clipping", ["gradient_clipping: 0.0"]),
        (config("deepspeed"), "accumulation 4", ["gradient_accumulation_steps: 4"]),
        (config("fsdp2"), "clipping 0.5", []),
        (
            config("deepspeed", {}, {"offload_optimizer_device": "cpu"}),
            "as written",
            ["zero_force_ds_cpu_optimizer: false"],
        ),
    ],
)
def test_overrides_are_named(data: dict[str, Any], scenario: str, changed: list[str]) -> None:
    assert loud(run(data, scenario)) == changed


@pytest.mark.parametrize(
    ("scenario", "base", "part"),
    [
        ("accumulation 4", "fsdp2", {"accumulation": 4}),
        ("accumulation 4", "deepspeed", {"accumulation": 4}),
        ("as written", "fsdp2", {"accumulation": 1}),
        ("as written", "deepspeed", {"accumulation": None}),
        ("clipping 0.5", "fsdp2", {"max_norm": 0.5}),
        ("no clipping", "fsdp2", {"max_norm": None}),
        ("frozen half", "fsdp2", {"frozen": True}),
        ("activation checkpointing", "fsdp2", {"activation_checkpointing": True}),
        ("checkpoint", "fsdp2", {"checkpoint": True}),
    ],
)
def test_a_scenario_changes_the_job(scenario: str, base: str, part: dict[str, Any]) -> None:
    job = run(config(base), scenario, Script(max_norm=1.0)).launch.job
    assert {name: getattr(job, name) for name in part} == part


@pytest.mark.parametrize(
    ("bases", "asked", "norm", "said"),
    [
        (("fsdp2", "deepspeed"), None, 1.0, ["the script clips at 1 under FSDP, as DeepSpeed does by itself"]),
        (("deepspeed",), None, 1.0, []),
        (("fsdp1",), None, None, []),
        (("fsdp1",), 0.3, 0.3, []),
        (("fsdp1", "deepspeed"), math.inf, None, []),
    ],
)
def test_the_script_clips_as_the_engine_does(
    bases: tuple[str, ...], asked: float | None, norm: float | None, said: list[str]
) -> None:
    script, notes = script_of(tuple(read(config(base)) for base in bases), Script(), asked, None)
    assert (script.max_norm, list(notes)) == (norm, said)


def test_the_script_accumulates_as_the_engine_does() -> None:
    readings = (read(config("fsdp2")), read(config("deepspeed", {}, {"gradient_accumulation_steps": 8})))
    script, _ = script_of(readings, Script(optimizer=OptimizerSettings(lr=0.1)), None, None)
    assert (script.accumulation, script.optimizer.lr) == (8, 0.1)
