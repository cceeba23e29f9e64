"""Processes and machines of a dry run."""

from __future__ import annotations

from typing import Any

import pytest

from fsds_convert.dry_run.topology import Machine, Nodes, topology_of

from .configs import config, read

CPU, ONE, FOUR = Machine(), Machine("cuda", 1), Machine("cuda", 4)
HSDP = {"parallelism_config": {"parallelism_config_dp_replicate_size": 2, "parallelism_config_dp_shard_size": 8}}


@pytest.mark.parametrize(
    ("base", "top", "inside", "machine", "asked", "processes", "replicas", "flags"),
    [
        ("fsdp2", {"num_processes": 8}, {}, CPU, None, 2, 1, {}),
        ("fsdp2", {"num_processes": 1}, {}, CPU, None, 1, 1, {}),
        ("fsdp2", {"num_processes": 8}, {}, CPU, 3, 3, 1, {}),
        ("fsdp2", {"num_processes": 8}, {}, FOUR, None, 4, 1, {}),
        ("fsdp2", {"num_processes": 2}, {}, FOUR, None, 2, 1, {}),
        ("fsdp2", {"num_processes": 8}, {}, ONE, None, 1, 1, {}),
        (
            "fsdp2",
            {"num_processes": 16, **HSDP},
            {},
            CPU,
            None,
            4,
            2,
            {"parallelism_config_dp_replicate_size": "2", "parallelism_config_dp_shard_size": "2"},
        ),
        (
            "fsdp1",
            {"num_processes": 16, "num_machines": 2},
            {"fsdp_sharding_strategy": "HYBRID_SHARD"},
            CPU,
            None,
            4,
            2,
            {"num_machines": "1", "machine_rank": "0"},
        ),
    ],
)
def test_processes(
    base: str,
    top: dict[str, Any],
    inside: dict[str, Any],
    machine: Machine,
    asked: int | None,
    processes: int,
    replicas: int,
    flags: dict[str, str],
) -> None:
    found = topology_of(read(config(base, top, inside)), machine, asked)
    assert (found.processes, found.replicas) == (processes, replicas)
    assert found.flags == {"num_processes": str(processes), **flags}
    changed = processes != top["num_processes"] or "num_machines" in flags
    assert bool(found.overrides) == changed


def test_a_world_is_as_large_as_asked() -> None:
    found = topology_of(read(config("deepspeed", {"num_processes": 64})), CPU, world=64)
    assert (found.processes, found.overrides) == (64, ())


def test_several_machines_need_the_standard_launcher() -> None:
    found = topology_of(read(config("deepspeed")), CPU, nodes=Nodes(2, 1, "10.0.0.1", 29500))
    assert found.flags == {
        "num_processes": "2",
        "num_machines": "2",
        "machine_rank": "1",
        "main_process_ip": "10.0.0.1",
        "main_process_port": "29500",
        "deepspeed_multinode_launcher": "standard",
    }
    assert [override.what for override in found.overrides] == ["--deepspeed_multinode_launcher standard for pdsh"]
