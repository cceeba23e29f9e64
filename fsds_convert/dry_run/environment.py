"""What a CPU needs so that Accelerate's own code runs on it, and nothing on a GPU."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any

import torch

from fsds_convert.dry_run.job import Job


def start(job: Job) -> Any:
    """The Accelerator of a script, with gloo underneath where there is no GPU."""
    from accelerate import Accelerator

    for name, patch in BEFORE.items():
        if name in job.patches:
            patch(job)
    if job.accumulation is not None:  # a script that asks for it; the variable would win over the argument
        os.environ["ACCELERATE_GRADIENT_ACCUMULATION_STEPS"] = str(job.accumulation)
    accelerator = Accelerator()
    for name in job.patches:
        if name in AFTER:
            AFTER[name](accelerator)
    plugin = getattr(accelerator.state, "deepspeed_plugin", None)
    if plugin is not None:
        changes = dict(job.deepspeed)
        if job.accumulation is not None:
            changes["gradient_accumulation_steps"] = job.accumulation
        put(plugin.deepspeed_config, changes)
    return accelerator


def put(config: dict[str, Any], changes: dict[str, Any]) -> None:
    """Writes dotted names into a nested mapping; None takes one out."""
    for dotted, value in changes.items():
        *above, last = dotted.split(".")
        section = config
        for name in above:
            section = section.setdefault(name, {})
        if value is None:
            section.pop(last, None)
        else:
            section[last] = value


def _gloo(job: Job) -> None:
    """Without it the world would silently be of one process, and the plugin of FSDP be dropped."""
    from accelerate import DistributedType, PartialState

    if job.devices_per_node is not None:
        torch.cpu.device_count = lambda: int(job.devices_per_node or 1)
    state = PartialState(backend="gloo")
    if os.environ.get("ACCELERATE_USE_DEEPSPEED", "false") != "true":
        state.distributed_type = DistributedType.MULTI_GPU


def _no_shm(_: Job) -> None:
    import deepspeed.ops

    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False


def _fp16(_: Job) -> None:
    from deepspeed.accelerator.cpu_accelerator import CPU_Accelerator

    CPU_Accelerator.is_fp16_supported = lambda _self: True


def _flat_parameters_stay(_: Job) -> None:
    from torch.distributed.fsdp._flat_param import FlatParamHandle

    @contextlib.contextmanager
    def nothing(_self: Any) -> Any:
        yield

    FlatParamHandle.to_cpu = nothing


def _no_device_map(_: Job) -> None:
    os.environ["ACCELERATE_BYPASS_DEVICE_MAP"] = "true"


def _unpinned(accelerator: Any) -> None:
    from torch.distributed.fsdp import CPUOffloadPolicy

    accelerator.state.fsdp_plugin.cpu_offload = CPUOffloadPolicy(pin_memory=False)


def _loss_scaler(accelerator: Any) -> None:
    """What Accelerate does on a GPU: its scaler, and autocast (accelerate/accelerator.py:566-578)."""
    accelerator.native_amp = True
    if accelerator.is_fsdp2:
        accelerator.scaler = torch.amp.GradScaler("cpu")
    else:
        from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler

        accelerator.scaler = ShardedGradScaler("cpu")


BEFORE: dict[str, Callable[[Job], None]] = {
    "no_shm_op": _no_shm,  # before gloo: PartialState starts DeepSpeed's communication, which would compile it
    "gloo": _gloo,
    "fp16_on_cpu": _fp16,
    "flat_parameters_stay": _flat_parameters_stay,
    "no_device_map": _no_device_map,
}
AFTER: dict[str, Callable[[Any], None]] = {
    "unpinned_offload": _unpinned,
    "loss_scaler_on_cpu": _loss_scaler,
}
PATCHES = (*BEFORE, *AFTER)
