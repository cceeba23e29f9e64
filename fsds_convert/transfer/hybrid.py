"""Replicas and secondary partitions (semantics B.1)."""

from __future__ import annotations

from typing import Any

from fsds_convert.settings.setting import Setting
from fsds_convert.transfer.route import Choice, Route


def hybrid(route: Route, path: str, setting: Setting[Any]) -> Choice | None:
    """What becomes of a replicate group, or of hpZ's secondary partition; None: carried over."""
    if path == "sharding.secondary_shard_degree":
        return _secondary(route, setting) if setting.value > 1 else None
    return _replicas(route, setting) if setting.value > 1 else None


def _replicas(route: Route, setting: Setting[Any]) -> Choice | None:
    topology, sharding = route.plan.topology, route.plan.sharding
    processes, machines = topology.num_processes.value, topology.num_machines.value
    if route.target == "deepspeed":
        full = sharding.strategy.value == "shard_parameters" and isinstance(processes, int)
        degree = processes // setting.value if full else 1
        return route.choose("deepspeed-has-no-hybrid-shard", setting, sharding__secondary_shard_degree=degree)
    if route.target == "fsdp1":
        by_node = setting.value == machines and route.plan.wrapping.policy.value != "none"
        return None if by_node else route.choose("fsdp1-replicates-by-node-only", setting)
    return None if isinstance(processes, int) else route.choose("replicas-need-num-processes", setting)


def _secondary(route: Route, setting: Setting[Any]) -> Choice:
    processes, machines = route.plan.topology.num_processes.value, route.plan.topology.num_machines.value
    degree = setting.value
    known = isinstance(processes, int) and isinstance(machines, int) and route.target != "ddp"
    if known and processes > degree and degree * machines == processes:
        replicas = processes // degree
        return route.choose("hpz-becomes-hybrid-shard", setting, after=1, sharding__replicas=replicas)
    return route.choose("hpz-dropped", setting)
