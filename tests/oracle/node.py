"""What this machine has to answer differently to look like a node with enough bf16- and fp8-capable GPUs."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from unittest import mock

GPUS = 8


@dataclass(frozen=True)
class Patch:
    """One upstream name replaced, and why that takes nothing away from the configuration."""

    owner: Any
    name: str
    value: Any
    reason: str


@contextmanager
def applied(patches: tuple[Patch, ...]) -> Iterator[None]:
    """All patches in force for the time of the block."""
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(mock.patch.object(patch.owner, patch.name, patch.value))
        yield


@lru_cache(maxsize=1)
def launcher_patches() -> tuple[Patch, ...]:
    """Patches for the process that runs `accelerate launch`."""
    from accelerate.commands import launch as command
    from accelerate.utils import launch
    from torch.distributed import run

    local_world_size = run.determine_local_world_size
    return (
        Patch(
            run,
            "determine_local_world_size",
            lambda wanted: GPUS if wanted in ("gpu", "auto") else local_world_size(wanted),
            "num_processes: gpu counts the devices of this machine",
        ),
        Patch(launch, "is_port_in_use", _port_free, "a busy port is a fact of the moment, not of the file"),
        Patch(
            launch, "get_free_port", lambda: 29501, "main_process_port 0 takes any free port; one keeps answers equal"
        ),
        Patch(
            launch,
            "_get_mpirun_args",
            lambda: ("mpirun", "--hostfile", "-n", "--npernode", "--bind-to"),
            "looks for the mpirun of this machine; the answer is Open MPI's",
        ),
        Patch(launch, "is_fp8_available", lambda: True, "asks whether an fp8 library is installed here"),
        Patch(command, "is_bf16_available", lambda _ignore_tpu=False: True, "asks the device of this machine"),
    )


@lru_cache(maxsize=1)
def process_patches() -> tuple[Patch, ...]:
    """Patches for a training process; the ones that need its world size stand in `process`."""
    import torch
    from accelerate import accelerator, state
    from accelerate.parallelism_config import ParallelismConfig
    from accelerate.utils import dataclasses

    build_device_mesh = ParallelismConfig.build_device_mesh
    return (
        Patch(dataclasses, "is_cuda_available", lambda: True, "FSDP1 sync_module_states raises without a device"),
        Patch(torch.cuda, "current_device", lambda: 0, "asked for right after is_cuda_available"),
        Patch(state.PartialState, "set_device", _set_device, "cuda:0 cannot be set here"),
        Patch(
            ParallelismConfig,
            "build_device_mesh",
            lambda config, _device_type: build_device_mesh(config, "cpu"),
            "the mesh of a fake process group cannot stand on cuda devices; its checks are the same",
        ),
        Patch(
            torch.cuda.amp.common, "amp_definitely_not_available", lambda: False, "the fp16 scaler warns without CUDA"
        ),
        Patch(accelerator, "is_bf16_available", lambda _ignore_tpu=False: True, "asks the device of this machine"),
        Patch(state, "is_fp8_available", lambda: True, "asks whether an fp8 library is installed here"),
        Patch(dataclasses, "is_transformer_engine_available", lambda: True, "the fp8 library of the TE backend"),
        Patch(
            dataclasses.AORecipeKwargs, "__post_init__", lambda _: None, "the AO backend keeps a recipe of torchao's"
        ),
        Patch(accelerator, "is_megatron_lm_available", lambda: True, "asks whether Megatron-LM is installed here"),
        Patch(accelerator, "is_torchao_available", lambda: True, "fp8 without a backend takes the first one installed"),
    )


def _port_free(port: Any) -> bool:
    """False, after the socket refused what is no port number."""
    with socket.socket() as probe:
        probe.connect_ex(("localhost", port))
    return False


def _set_device(state: Any) -> None:
    import torch

    if state.device is None:
        state.device = torch.device("cpu" if state._cpu else "cuda:0")
