"""The groups of a training plan, in the field's own words. Every field is a Setting: value, intent, key and origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from fsds_convert.settings.setting import Decided, Setting

Strategy = Literal["replicate", "shard_optimizer", "shard_gradients", "shard_parameters"]
OffloadDevice = Literal["none", "cpu", "nvme"]
StateDictType = Literal["full", "sharded", "local"]
BackwardPrefetch = Literal["none", "pre", "post"]
WrapPolicy = Literal["none", "transformer", "size"]
Dtype = Literal["fp32", "bf16", "fp16", "fp8"]


@dataclass(frozen=True)
class Sharding:
    """What is sharded, over how many replicas; hpZ's secondary group in ranks (1: none)."""

    strategy: Setting[Strategy]
    replicas: Setting[int]
    secondary_shard_degree: Setting[int]


@dataclass(frozen=True)
class Offload:
    """Where parameters and optimizer states rest between uses."""

    parameters: Setting[OffloadDevice]
    optimizer: Setting[OffloadDevice]
    parameters_nvme_path: Setting[str | None]
    optimizer_nvme_path: Setting[str | None]


@dataclass(frozen=True)
class Loading:
    """How the first weights reach the ranks."""

    cpu_ram_efficient: Setting[bool | Decided]
    sync_module_states: Setting[bool | Decided]


@dataclass(frozen=True)
class Checkpoint:
    """Whether a consolidated model is produced when saving."""

    state_dict_type: Setting[StateDictType]


@dataclass(frozen=True)
class Prefetch:
    """When the next unit's parameters are gathered."""

    backward: Setting[BackwardPrefetch | Decided]
    forward: Setting[bool | Decided]


@dataclass(frozen=True)
class Wrapping:
    """Which modules become units; `leaf_classes` are ZeRO-3's modules that are fetched whole."""

    policy: Setting[WrapPolicy | Decided]
    layer_classes: Setting[tuple[str, ...] | Decided | None]
    min_num_params: Setting[int | Decided]
    use_orig_params: Setting[bool | Decided]
    ignored_modules: Setting[str | None]
    leaf_classes: Setting[tuple[str, ...] | Decided | None]


@dataclass(frozen=True)
class Accumulation:
    """Micro batches to one optimizer step."""

    steps: Setting[int | Decided]


@dataclass(frozen=True)
class Clipping:
    """The largest gradient norm; None: no clipping."""

    max_norm: Setting[float | Decided | None]


@dataclass(frozen=True)
class Batch:
    """Samples a rank and micro step, and samples to one optimizer step over all ranks."""

    micro_batch_size: Setting[int | Decided]
    train_batch_size: Setting[int | Decided]


@dataclass(frozen=True)
class Precision:
    """The dtype of compute, of the weights that the optimizer updates, of its states, and of communication."""

    compute: Setting[Dtype | Decided]
    master_weights: Setting[Dtype | Decided]
    optimizer_states: Setting[Dtype | Decided]
    reduce: Setting[Dtype | Decided]
    accumulate: Setting[Dtype | Decided]
    autocast: Setting[Dtype | None]


@dataclass(frozen=True)
class ActivationCheckpointing:
    """Recomputation in the backward pass."""

    enabled: Setting[bool | Decided]
    cpu_offload: Setting[bool]


@dataclass(frozen=True)
class Compile:
    """torch.compile as the config asks for it."""

    backend: Setting[str | Decided]
    mode: Setting[str | Decided | None]
    fullgraph: Setting[bool | Decided]
    dynamic: Setting[bool | Decided]
    regional: Setting[bool | Decided]


@dataclass(frozen=True)
class Fp8:
    """Which library runs fp8."""

    backend: Setting[str | None]


@dataclass(frozen=True)
class Parallelism:
    """Degrees beyond data parallelism; 1: off."""

    tensor: Setting[int]
    context: Setting[int]
    context_backend: Setting[str | None]
    context_comm_strategy: Setting[str | None]
    sequence: Setting[int]
    sequence_backend: Setting[str | None]
    sequence_length: Setting[int | None]
    sequence_length_is_variable: Setting[bool | None]
    sequence_attention: Setting[str | None]


@dataclass(frozen=True)
class Topology:
    """Processes, machines, and how they find each other. num_processes counts all machines."""

    num_processes: Setting[int | Decided]
    num_machines: Setting[int | Decided]
    machine_rank: Setting[int | Decided]
    main_process_ip: Setting[str | None]
    main_process_port: Setting[int | None]
    gpu_ids: Setting[str | None]
    multinode_launcher: Setting[str | None]
    hostfile: Setting[str | None]
    inclusion_filter: Setting[str | None]
    exclusion_filter: Setting[str | None]


@dataclass(frozen=True)
class Optimizer:
    """The optimizer, where the config holds it."""

    type: Setting[str | Decided]
    params: Setting[dict[str, Any] | None]


@dataclass(frozen=True)
class Scheduler:
    """The learning-rate schedule, where the config holds it."""

    type: Setting[str | Decided]
    params: Setting[dict[str, Any] | None]
