"""`Accelerator()` of a plain script, in one worker of a launched job (rank 0 of a fake process group)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from .deepspeed_import import deepspeed
from .environment import job_environment, notices
from .launcher import Launched
from .node import Patch, applied, process_patches


@contextmanager
def accelerator(launched: Launched) -> Iterator[tuple[Any, list[str]]]:
    """The Accelerator of rank 0 and what upstream warned about; upstream's exceptions pass through."""
    patches = process_patches() + _distributed(launched)
    with ExitStack() as stack:
        said = stack.enter_context(notices())
        stack.enter_context(job_environment({**launched.env, **_worker_variables(launched)}))
        stack.enter_context(_no_state())
        stack.enter_context(_process_group())
        stack.enter_context(applied(patches))
        from accelerate import Accelerator

        yield Accelerator(), said


def _worker_variables(launched: Launched) -> dict[str, str]:
    if not launched.distributed:
        return {}
    world = launched.processes
    local = world // max(1, int(launched.args.num_machines or 1))
    return {
        "RANK": "0",
        "LOCAL_RANK": "0",
        "WORLD_SIZE": str(world),
        "LOCAL_WORLD_SIZE": str(local),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": "29500",
    }


def _distributed(launched: Launched) -> tuple[Patch, ...]:
    """The process group; gloo under mpirun comes from upstream's own choice."""
    import torch.distributed as dist
    from accelerate.state import PartialState
    from accelerate.utils import DistributedType
    from torch.testing._internal.distributed.fake_pg import FakeStore

    start = dist.init_process_group

    def fake(*_: Any, **__: Any) -> None:
        start("fake", store=FakeStore(), rank=0, world_size=launched.processes)

    reason = "a group of all ranks, without the other processes"
    patches: tuple[Patch, ...] = (Patch(dist, "init_process_group", fake, reason),)
    if launched.launcher == "simple_launcher":
        return patches
    patches += (
        Patch(
            PartialState,
            "_prepare_backend",
            lambda _state, cpu=False, _sagemaker=False, backend=None: (backend or "nccl", DistributedType.MULTI_GPU),
            "a worker started by torchrun finds CUDA",
        ),
    )
    if launched.args.use_deepspeed:
        return (*patches, Patch(deepspeed().comm, "init_distributed", fake, "the same, through DeepSpeed"))
    return patches


@contextmanager
def _process_group() -> Iterator[None]:
    """Ends the group the block started."""
    import torch.distributed as dist

    if dist.is_initialized():
        raise RuntimeError("the oracle needs a process without a process group")
    try:
        yield
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


@contextmanager
def _no_state() -> Iterator[None]:
    """Accelerate's and Transformers' singletons empty inside the block, the caller's back after it."""
    from accelerate.state import AcceleratorState, GradientState, PartialState

    states = [owner._shared_state for owner in (PartialState, AcceleratorState, GradientState)]
    kept = [dict(state) for state in states]
    for state in states:
        state.clear()
    try:
        yield
    finally:
        for state, values in zip(states, kept, strict=True):
            state.clear()
            state.update(values)
        from transformers.integrations.deepspeed import unset_hf_deepspeed_config

        unset_hf_deepspeed_config()  # type: ignore[no-untyped-call]
