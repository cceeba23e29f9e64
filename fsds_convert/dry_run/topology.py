"""How many processes train, on which machines, and what that changes in a file made for others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fsds_convert.containers.reading import Reading

_ON_CPU = 2
_HYBRID_ON_CPU = 4


@dataclass(frozen=True)
class Machine:
    """What this machine trains on."""

    device: str = "cpu"
    gpus: int = 0

    @property
    def name(self) -> str:
        """For a report."""
        return f"{self.gpus} GPU{'s' * (self.gpus != 1)}" if self.device == "cuda" else "the CPU"


@dataclass(frozen=True)
class Nodes:
    """Several machines, of which this is one."""

    machines: int
    rank: int
    ip: str
    port: int


@dataclass(frozen=True)
class Override:
    """What is changed in the user's config, and why; `quiet` where no setting of the user is."""

    what: str
    why: str
    quiet: bool = False
    untested: tuple[str, ...] = ()


@dataclass(frozen=True)
class Topology:
    """Processes over all machines; `replicas` groups that hold one copy each; `devices_per_node` where a CPU poses."""

    processes: int
    replicas: int
    devices_per_node: int | None
    flags: Mapping[str, str] = field(default_factory=dict, hash=False)
    deepspeed: Mapping[str, Any] = field(default_factory=dict, hash=False)
    overrides: tuple[Override, ...] = ()


def topology_of(
    reading: Reading, machine: Machine, asked: int | None = None, nodes: Nodes | None = None, world: int | None = None
) -> Topology:
    """The processes of a dry run; with `world` as many as the config is for, without starting them."""
    value = reading.runs.topology.num_processes.value
    written = value if isinstance(value, int) and value > 0 else None
    wanted_replicas = reading.runs.sharding.replicas.value
    processes, why = _processes(written, wanted_replicas, machine, asked, nodes, world)
    replicas = _replicas(wanted_replicas, written, processes)
    flags = {"num_processes": str(processes)}
    overrides = []
    if processes != written:
        overrides.append(Override(f"--num_processes {processes}" + (f" for {written}" if written else ""), why))
    more, changed = _machines(reading, nodes)
    flags |= more
    overrides += changed
    if _has_parallelism(reading) and (processes != written or replicas != wanted_replicas):
        shard = processes // replicas
        sizes = {"dp_replicate_size": replicas, "dp_shard_size": shard}
        flags |= {f"parallelism_config_{name}": str(size) for name, size in sizes.items()}
        overrides.append(Override(f"dp_replicate_size {replicas}, dp_shard_size {shard}", "for that many processes"))
    deepspeed: dict[str, Any] = {}
    if processes != written:
        for key, value in _batch(reading, processes).items():
            deepspeed[key] = value
            overrides.append(Override(f"{key}: {value}", "for that many processes"))
    per_node = processes // replicas if machine.device == "cpu" or world else None
    return Topology(processes, replicas, per_node, flags, deepspeed, tuple(overrides))


def _processes(
    written: int | None, replicas: int, machine: Machine, asked: int | None, nodes: Nodes | None, world: int | None
) -> tuple[int, str]:
    if world is not None:
        return world, "asked for by --world"
    if asked is not None:
        return asked, "asked for by --num-processes"
    if nodes is not None and written is not None:
        return written, ""
    least = _HYBRID_ON_CPU if replicas > 1 else _ON_CPU
    if machine.device == "cuda":
        most = machine.gpus
        return min(written or most, most), f"this machine has {machine.name}"
    return min(written or least, least), f"on a CPU; {least} show how it is sharded and reduced"


def _replicas(wanted: int, written: int | None, processes: int) -> int:
    """As many as wanted where the processes allow it, else two."""
    if wanted <= 1 or processes < 2:
        return 1
    if written == processes and processes % wanted == 0:
        return wanted
    return wanted if processes % wanted == 0 and processes // wanted > 1 else 2 if processes % 2 == 0 else 1


def _machines(reading: Reading, nodes: Nodes | None) -> tuple[dict[str, str], list[Override]]:
    written = reading.runs.topology.num_machines.value
    if nodes is None:
        if not isinstance(written, int) or written <= 1:
            return {}, []
        flags = {"num_machines": "1", "machine_rank": "0"}
        return flags, [Override(f"--num_machines 1 for {written}", "run here alone; --num-machines runs on several")]
    flags = {
        "num_machines": str(nodes.machines),
        "machine_rank": str(nodes.rank),
        "main_process_ip": nodes.ip,
        "main_process_port": str(nodes.port),
    }
    launcher = reading.runs.topology.multinode_launcher.value
    if reading.engine == "deepspeed" and launcher != "standard":
        flags["deepspeed_multinode_launcher"] = "standard"
        why = "fsds dry-run is started on every machine; the other launchers start them all from one, over ssh"
        return flags, [Override(f"--deepspeed_multinode_launcher standard for {launcher or 'pdsh'}", why)]
    return flags, []


def _has_parallelism(reading: Reading) -> bool:
    data = reading.source.data
    return isinstance(data, Mapping) and bool(data.get("parallelism_config"))


def _batch(reading: Reading, processes: int) -> dict[str, Any]:
    """DeepSpeed refuses a batch size that is not micro batch x accumulation x processes."""
    if reading.engine != "deepspeed":
        return {}
    changed: dict[str, Any] = {}
    if isinstance(reading.runs.batch.train_batch_size.value, int):
        changed["train_batch_size"] = "auto"
        if not isinstance(
            reading.runs.batch.micro_batch_size.value, int
        ):  # without it Accelerate cannot fill in the other
            changed["train_micro_batch_size_per_gpu"] = "auto"
    secondary = reading.runs.sharding.secondary_shard_degree.value
    if isinstance(secondary, int) and secondary > processes:
        changed["zero_optimization.zero_hpz_partition_size"] = processes
    return changed
