"""Sizes in `parallelism_config` that Accelerate refuses (accelerate/parallelism_config.py:275)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from fsds_convert.diagnostics import Change, Place
from fsds_convert.rules.checks.nodes import ONE_PROCESS, processes
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match

_SECTION = "parallelism_config"


@dataclass(frozen=True)
class Sizes:
    """Every size as the launcher exports it."""

    replicas: int
    shards: int
    tensor: int
    context: int
    sequence: int

    @property
    def total(self) -> int:
        """The processes that they ask for together."""
        return math.prod((self.replicas, self.shards, self.tensor, self.context, self.sequence))


def sizes(facts: Facts) -> Sizes | None:
    """The sizes of the file; None without any above 1, which Accelerate takes for no config."""
    data = facts.source.data.get(_SECTION)
    if not isinstance(data, dict):
        return None
    names = ("dp_replicate", "dp_shard", "tp", "cp", "sp")
    found = Sizes(*(_size(data.get(f"{_SECTION}_{name}_size", 1)) for name in names))
    return found if found.total > 1 else None


def _size(written: object) -> int:
    """What the launcher exports; what it cannot read is refused by its row."""
    try:
        return int(str(written))
    except ValueError:
        return 1


def _at(facts: Facts, *names: str) -> Place:
    """The first size that is written, else the section."""
    for name in names:
        path = (_SECTION, f"{_SECTION}_{name}_size")
        if path in facts.source.values:
            return facts.place(path)
    return facts.place((_SECTION,), key=True)


def _launched(facts: Facts) -> Sizes | None:
    """The sizes where the launcher exports them (accelerate/utils/launch.py:397)."""
    return None if facts.distributed_type in ONE_PROCESS else sizes(facts)


def sizes_not_exported(facts: Facts) -> Iterator[Match]:
    """The simple launcher exports none of them, and only DeepSpeed splits along the sequence."""
    found = sizes(facts)
    if found is None:
        return
    if facts.distributed_type in ONE_PROCESS:
        why = f"the launcher of `distributed_type: {facts.distributed_type}` does not export it"
        yield Match({"what": _SECTION, "why": why}, facts.place((_SECTION,), key=True))
    elif facts.engine == "ddp" and found.sequence > 1:
        why = "only DeepSpeed's preparation splits along the sequence; here every rank takes its own batch"
        yield Match({"what": f"{_SECTION}_sp_size", "why": why}, _at(facts, "sp"))


def two_ways_along_the_sequence(facts: Facts) -> Iterator[Match]:
    """cp_size and sp_size."""
    found = _launched(facts)
    if found and found.context > 1 and found.sequence > 1:
        yield Match({"context": found.context, "sequence": found.sequence}, _at(facts, "sp"))


def unsharded_replicas(facts: Facts) -> Iterator[Match]:
    """tp_size or cp_size next to dp_replicate_size alone."""
    found = _launched(facts)
    if found and max(found.tensor, found.context) > 1 and found.replicas > 1 and found.shards == 1:
        name = "tp_size" if found.tensor > 1 else "cp_size"
        yield Match({"name": name, "replicas": found.replicas}, _at(facts, "dp_replicate"))


def sizes_under_fsdp1(facts: Facts) -> Iterator[Match]:
    """FSDP1 knows no device mesh."""
    found = _launched(facts)
    if found:
        error = "ParallelismConfig is only compatible DistributedType.FSDP (version 2)"
        if found.context > 1:
            error = "Using `cp_size>1` requires FSDP2, but the provided `fsdp_plugin` is using FSDP1."
        yield Match({"error": error}, facts.place((_SECTION,), key=True))


def context_without_fsdp2(facts: Facts) -> Iterator[Match]:
    """DDP does not shard the model over the mesh."""
    found = _launched(facts)
    if found and found.context > 1:
        yield Match({"context": found.context}, _at(facts, "cp"))


def nothing_to_shard(facts: Facts) -> Iterator[Match]:
    """FSDP2 shards over dp_shard and cp together."""
    found = _launched(facts)
    if found and _unsharded(found) and not any(unsharded_replicas(facts)):
        yield Match(place=_at(facts, "dp_shard", "dp_replicate", "tp"))


def _unsharded(found: Sizes) -> bool:
    return found.shards == found.context == 1


def batch_size_hidden(facts: Facts) -> Iterator[Match]:
    """tp_size wraps the DataLoader before DeepSpeed reads its batch size."""
    found = _launched(facts)
    if found and found.tensor > 1 and facts.runs("train_micro_batch_size_per_gpu") in (None, "auto"):
        yield Match({"tensor": found.tensor}, _at(facts, "tp"))


def total_against_processes(facts: Facts) -> Iterator[Match]:
    """The product of all sizes; with sp_size nobody compares."""
    found, count = _launched(facts), processes(facts)
    if not found or count is None or found.sequence > 1 or found.total == count or _told_otherwise(facts, found):
        return
    error = f"ValueError: ParallelismConfig total_size ({found.total}) does not match num_processes ({count})"
    if found.total > count:
        error = (
            f"RuntimeError: Mesh should not be bigger than default world size {count}, but found {found.total} ranks!"
        )
    rest = found.total // found.shards
    changes = _shards(count // rest) if count % rest == 0 and facts.engine != "ddp" else ()
    yield Match({"total": found.total, "processes": count, "error": error}, _at(facts, "dp_shard"), changes)


def _told_otherwise(facts: Facts, found: Sizes) -> bool:
    """Whether another rule says why these sizes do not work."""
    if facts.engine == "fsdp2":
        return _unsharded(found)
    if facts.engine == "deepspeed":
        return any(batch_size_hidden(facts))
    return facts.engine == "fsdp1" or found.context > 1


def batch_against_sequence(facts: Facts) -> Iterator[Match]:
    """Accelerate multiplies train_batch_size by the data-parallel sizes (accelerate/accelerator.py:2359)."""
    found, count = _launched(facts), processes(facts)
    if not found or count is None or found.sequence == 1 or any(batch_size_hidden(facts)):
        return
    if count % found.sequence:
        return
    data, wanted = found.replicas * found.shards, max(1, count // found.sequence)
    if data != count // found.sequence:
        words = {"sequence": found.sequence, "data": data, "wanted": wanted, "processes": count}
        changes = _shards(wanted // found.replicas) if wanted % found.replicas == 0 else ()
        yield Match(words, _at(facts, "dp_shard", "sp"), changes)


def sequence_against_processes(facts: Facts) -> Iterator[Match]:
    """The groups of one sequence (deepspeed/runtime/sequence_parallel/parallel_state_sp.py:31)."""
    found, count = _launched(facts), processes(facts)
    if found and count is not None and found.sequence > 1 and count % found.sequence:
        how = "less than" if count < found.sequence else "not divisible by"
        yield Match({"sequence": found.sequence, "processes": count, "how": how}, _at(facts, "sp"))


def context_under_deepspeed(facts: Facts) -> Iterator[Match]:
    """cp_size where nothing refuses it, and only the script can apply it."""
    found = _launched(facts)
    if found and found.context > 1 and found.sequence == 1 and not any(unsharded_replicas(facts)):
        yield Match({"context": found.context}, _at(facts, "cp"))


def _shards(size: int) -> tuple[Change, ...]:
    return (Change("set", (_SECTION, f"{_SECTION}_dp_shard_size"), size),)


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        sizes_not_exported,
        two_ways_along_the_sequence,
        unsharded_replicas,
        sizes_under_fsdp1,
        context_without_fsdp2,
        nothing_to_shard,
        batch_size_hidden,
        total_against_processes,
        batch_against_sequence,
        sequence_against_processes,
        context_under_deepspeed,
    )
}
