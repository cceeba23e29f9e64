"""Batch sizes, accumulation steps and processes of a DeepSpeed JSON against each other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from fsds_convert.diagnostics import Change, Place
from fsds_convert.engines.deepspeed import ACCUMULATION, batch_sizes
from fsds_convert.rules.checks.json_file import json_of
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match

_TRAIN = "train_batch_size"
_MICRO = "train_micro_batch_size_per_gpu"
_HPZ = "zero_optimization.zero_hpz_partition_size"


def batch_sizes_differ(facts: Facts) -> Iterator[Match]:
    """All four numbers are known and do not fit (deepspeed/runtime/config.py:602)."""
    sizes = batch_sizes(facts.plan) if facts.plan is not None and _steps(facts) is not None else None
    if sizes is not None and not sizes.consistent:
        product = sizes.micro * sizes.steps * sizes.ranks
        words = {"train": sizes.train, "micro": sizes.micro, "steps": sizes.steps, "ranks": sizes.ranks}
        yield Match({**words, "product": product}, changes=_follows(facts))


def batch_size_indivisible(facts: Facts) -> Iterator[Match]:
    """One of the numbers is not known, and no value of it would fit."""
    if facts.plan is None or (batch_sizes(facts.plan) is not None and _steps(facts) is not None):
        return
    train = facts.runs(_TRAIN)
    known = {"micro batch": facts.runs(_MICRO), "accumulation steps": _steps(facts), "processes": _ranks(facts)}
    parts = {name: number for name, number in known.items() if _positive(number)}
    if _positive(train) and parts and train % math.prod(parts.values()):
        text = " * ".join(f"{number} ({name})" for name, number in parts.items())
        yield Match({"train": train, "parts": text}, changes=_follows(facts))


def batch_size_missing(facts: Facts) -> Iterator[Match]:
    """DeepSpeed derives one batch size from the other, and Accelerate fills no key that is not there."""
    source = json_of(facts)
    if source is not None and source.data.get(_TRAIN) is None and source.data.get(_MICRO) is None:
        yield Match(place=Place(source.name), changes=_micro(facts))


def batch_size_total_auto(facts: Facts) -> Iterator[Match]:
    """Accelerate knows the total only with a micro batch (accelerate/accelerator.py:2229)."""
    source = json_of(facts)
    if source is not None and source.data.get(_TRAIN) == "auto" and source.data.get(_MICRO) is None:
        yield Match(place=Place(source.name, source.values.get((_TRAIN,))), changes=_micro(facts))


def _micro(facts: Facts) -> tuple[Change, ...]:
    return () if facts.context.consumer == "deepspeed" else (Change("set", (_MICRO,), "auto"),)


def batch_size_fixes_processes(facts: Facts) -> Iterator[Match]:
    """The three numbers of the file leave one number of processes."""
    train, micro, steps = facts.runs(_TRAIN), facts.runs(_MICRO), _steps(facts)
    numbers = _positive(train) and _positive(micro) and _positive(steps)
    if numbers and _ranks(facts) is None and train % (micro * steps) == 0:
        yield Match({"train": train, "ranks": train // (micro * steps)})


def secondary_group_indivisible(facts: Facts) -> Iterator[Match]:
    """hpZ groups have to fill the ranks (deepspeed/utils/groups.py:944)."""
    size, ranks = facts.runs(_HPZ), facts.plan.topology.num_processes.value if facts.plan is not None else None
    if _positive(size) and _positive(ranks) and ranks % min(size, ranks):
        yield Match({"size": size, "ranks": ranks})


def secondary_group_across_nodes(facts: Facts) -> Iterator[Match]:
    """hpZ groups are cut by rank, wherever a node ends (deepspeed/utils/groups.py:946)."""
    size = facts.runs(_HPZ)
    ranks: Any = facts.plan.topology.num_processes.value if facts.plan is not None else None
    nodes: Any = facts.plan.topology.num_machines.value if facts.plan is not None else None
    if not (_positive(size) and _positive(ranks) and _positive(nodes)) or nodes == 1 or ranks % nodes:
        return
    each = ranks // nodes
    setting = facts.setting(_HPZ)
    if size > each and not ranks % min(size, ranks) and setting is not None:
        changes = (Change("set", setting.origin.path, each),) if setting.origin.path else ()
        yield Match({"size": size, "each": each}, changes=changes)


def _steps(facts: Facts) -> Any:
    """The accumulation steps; DeepSpeed alone derives them where they are not written."""
    setting = facts.setting(ACCUMULATION)
    derived = facts.context.consumer == "deepspeed" and not (setting is not None and setting.is_written)
    return None if setting is None or derived or not _positive(setting.value) else setting.value


def _ranks(facts: Facts) -> int | None:
    processes = facts.plan.topology.num_processes.value if facts.plan is not None else None
    if facts.plan is None or not _positive(processes):
        return None
    return int(str(processes)) // max(1, int(facts.plan.parallelism.sequence.value))


def _positive(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number > 0


def _follows(facts: Facts) -> tuple[Change, ...]:
    """The size that follows from the others: filled by Accelerate, derived by DeepSpeed alone."""
    setting = facts.setting(_TRAIN)
    if setting is None or not setting.origin.path:
        return ()
    path = setting.origin.path
    if facts.context.consumer == "deepspeed" or facts.runs(_MICRO) is None:
        return (Change("remove", path),) if facts.runs(_MICRO) is not None else ()
    return (Change("set", path, "auto"),)


CHECKS: dict[str, Check] = {
    "batch_sizes_differ": batch_sizes_differ,
    "batch_size_indivisible": batch_size_indivisible,
    "batch_size_missing": batch_size_missing,
    "batch_size_total_auto": batch_size_total_auto,
    "batch_size_fixes_processes": batch_size_fixes_processes,
    "secondary_group_indivisible": secondary_group_indivisible,
    "secondary_group_across_nodes": secondary_group_across_nodes,
}
