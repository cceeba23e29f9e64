"""Trains each side in each scenario, and judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fsds_convert.dry_run.observation import Failure, Observation
from fsds_convert.dry_run.result import Result, Training
from fsds_convert.dry_run.session import Session
from fsds_convert.dry_run.side import Run, Script, Side, run_of
from fsds_convert.dry_run.table import Scenario, stage_rules, tolerance_of
from fsds_convert.dry_run.topology import Machine
from fsds_convert.dry_run.verdict import (
    Check,
    Rules,
    pair_checks,
    predicted_checks,
    side_checks,
    tolerance_facts,
)
from fsds_convert.precision.rows import by_stage, precision_of
from fsds_convert.settings.context import Context


def train(
    session: Session,
    sides: Sequence[Side],
    scenario: Scenario,
    script: Script,
    machine: Machine,
    context: Context,
    folder: Path,
    world: int | None = None,
) -> Result:
    """One scenario on every side, one after the other."""
    trainings = []
    for number, side in enumerate(sides):
        name = f"{scenario.name.replace(' ', '-')}-{number + 1}"
        run = run_of(side, script, scenario, machine.device, folder, name, world)
        trainings.append(judged(side, run, session.run(run.launch, world), context, world))
    return Result(scenario, tuple(trainings), _pair(trainings))


def judged(side: Side, run: Run, seen: Observation | Failure, context: Context, world: int | None = None) -> Training:
    """A training with its checks."""
    if isinstance(seen, Failure):
        return Training(side, run, seen)
    predicted = by_stage(precision_of(side.reading, replace(context, model_dtype=run.launch.job.model_dtype)))
    if "gradient_clipping" in run.launch.job.deepspeed:
        predicted["clipping"] = str(run.launch.job.deepspeed["gradient_clipping"] or "none")
    return Training(
        side,
        run,
        seen,
        tuple(predicted_checks(predicted, seen, run.untested)),
        tuple(_alone(side, seen, world)),
    )


def _alone(side: Side, seen: Observation, world: int | None) -> list[Check]:
    checks = list(side_checks(side.reading, seen, side.topology.processes, fake=world is not None))
    return [check for check in checks if check.name != "finite"] if world else checks


def _pair(trainings: Sequence[Training]) -> tuple[Check, ...]:
    if len(trainings) < 2:
        return ()
    one, other = trainings
    if isinstance(one.seen, Failure) or isinstance(other.seen, Failure):
        return ()
    facts = tolerance_facts(one.side.reading, other.side.reading, one.seen, other.seen)
    return tuple(pair_checks(one.seen, other.seen, Rules(stage_rules(), tolerance_of(facts))))
