"""Sizes in `parallelism_config` that Accelerate refuses, each as it words them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from fsds_convert.containers.distributed_type import Distributed
from fsds_convert.diagnostics import Diagnostic, finding
from fsds_convert.settings.read_section import Reader
from fsds_convert.settings.setting import Settings

_SECTION = "parallelism_config"
_NAMES = ("dp_replicate", "dp_shard", "tp", "cp", "sp")
# these launchers export no parallelism_config (accelerate/utils/launch.py:100)
_WITHOUT = ("NO", "MULTI_CPU")


def sizes(reader: Reader, kind: Distributed, settings: Settings) -> Iterator[Diagnostic]:
    """ParallelismConfig against itself, the engine and num_processes (accelerate/parallelism_config.py:275)."""
    data = reader.source.data.get(_SECTION)
    if not isinstance(data, dict) or kind.name in _WITHOUT:
        return
    given = {name: _size(data.get(f"{_SECTION}_{name}_size", 1)) for name in _NAMES}
    processes = settings["num_processes"].value if "num_processes" in settings else None
    micro = settings["train_micro_batch_size_per_gpu"].value if "train_micro_batch_size_per_gpu" in settings else None
    for text, note, help in _refusals(given, kind, processes, micro):
        yield finding("combination-refused", text, reader.place((_SECTION,), key=True), note=note, help=help)


def _size(written: Any) -> int:
    """What the launcher exports; what it cannot read is refused by its row."""
    try:
        return int(str(written))
    except ValueError:
        return 1


def _refusals(given: dict[str, int], kind: Distributed, processes: Any, micro: Any) -> Iterator[tuple[str, str, str]]:
    total = math.prod(given.values())
    if total <= 1:
        return
    replicas, shards, context, sequence = (given[name] for name in ("dp_replicate", "dp_shard", "cp", "sp"))
    if context > 1 and sequence > 1:
        note = "ValueError: Context Parallelism (CP) and Sequence Parallelism (SP) are mutually exclusive"
        yield "`cp_size` and `sp_size` are both above 1", note, "keep one of them"
    if max(given["tp"], context) > 1 and replicas > 1 and shards == 1:
        note = "ValueError: Tensor/Context parallelism (tp/cp_size > 1) cannot be used with pure data parallelism"
        yield "`tp_size` or `cp_size` stands with replicas that are not sharded", note, "write dp_shard_size above 1"
    if kind.engine == "fsdp1":
        note = "ValueError: ParallelismConfig is only compatible DistributedType.FSDP (version 2)"
        help = "write `fsdp_version: 2`, or remove the section"
        yield "`parallelism_config` works with FSDP2 only", note, help
    elif kind.engine == "ddp" and context > 1:
        note = "ValueError: `cp_size > 1` specified in the `parallelism_config`, but no `fsdp_plugin` was provided"
        yield "`cp_size` needs FSDP2", note, "write `distributed_type: FSDP` and `fsdp_version: 2`"
    elif kind.engine == "fsdp2" and shards == context == 1:
        note = "ValueError: FSDP is enabled but the parallelism config has no dimension for FSDP to shard across"
        yield "`dp_shard_size` and `cp_size` are both 1", note, "write dp_shard_size above 1"
    elif kind.engine == "deepspeed" and given["tp"] > 1 and micro in (None, "auto"):
        note = "ValueError: At least one of the dataloaders passed to `accelerate.prepare()` has `None` as batch size"
        help = "write `train_micro_batch_size_per_gpu` into a DeepSpeed JSON; its tensor_parallel splits the layers"
        yield "`tp_size` under DeepSpeed hides the batch size of the DataLoader", note, help
    elif isinstance(processes, int):
        yield from _product(replicas * shards, total, sequence, kind, processes)


def _product(data: int, total: int, sequence: int, kind: Distributed, processes: int) -> Iterator[tuple[str, str, str]]:
    """With sequence parallelism DeepSpeed counts, at the batch size (accelerate/accelerator.py:2359)."""
    said = f"the sizes in `parallelism_config` multiply to {total}, not to `num_processes: {processes}`"
    if sequence == 1 and total != processes:
        note = f"ValueError: ParallelismConfig total_size ({total}) does not match num_processes ({processes})"
        help = "every key needs the prefix `parallelism_config_`; change a size or num_processes"
        yield said, note, help
    elif sequence > 1 and kind.engine == "deepspeed" and data != processes // sequence:
        note = "DeepSpeed raises AssertionError: Check batch related parameters. train_batch_size is not equal to ..."
        yield said, note, f"write `{_SECTION}_dp_shard_size: {max(1, processes // sequence)}`"
