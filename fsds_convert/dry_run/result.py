"""What a dry run found."""

from __future__ import annotations

from dataclasses import dataclass

from fsds_convert.dry_run.observation import Failure, Observation
from fsds_convert.dry_run.side import Run, Script, Side
from fsds_convert.dry_run.table import Scenario
from fsds_convert.dry_run.topology import Machine
from fsds_convert.dry_run.verdict import Check


@dataclass(frozen=True)
class Training:
    """One launch, what it showed, and how that fits what was predicted and what the plan says."""

    side: Side
    run: Run
    seen: Observation | Failure
    predicted: tuple[Check, ...] = ()
    alone: tuple[Check, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether it ran as predicted."""
        return isinstance(self.seen, Observation) and all(check.passed for check in (*self.predicted, *self.alone))


@dataclass(frozen=True)
class Result:
    """A scenario: one training or two, and the two against each other."""

    scenario: Scenario
    trainings: tuple[Training, ...]
    pair: tuple[Check, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all of it is as it should be."""
        return all(training.passed for training in self.trainings) and all(check.passed for check in self.pair)


@dataclass(frozen=True)
class Report:
    """All scenarios, with what they were run on and by what script."""

    machine: Machine
    script: Script
    said: tuple[str, ...]
    results: tuple[Result, ...]
    world: int | None = None

    @property
    def passed(self) -> bool:
        """Whether every scenario is."""
        return all(result.passed for result in self.results)
