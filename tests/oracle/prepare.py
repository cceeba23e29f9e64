"""The configuration `Accelerator.prepare` hands to deepspeed.initialize, taken at the door."""

from __future__ import annotations

import copy
import os
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from .deepspeed_import import deepspeed
from .launcher import Launched
from .node import Patch, applied
from .outcome import Refused
from .process import accelerator

HIDDEN_SIZE = 64
MICRO_BATCH_SIZE = 1
TOTAL_STEPS = 100


@dataclass(frozen=True)
class Prepared:
    """A configuration with no "auto" left in it."""

    config: dict[str, Any]
    cpu_optimizer: bool  # the script's AdamW was swapped for DeepSpeedCPUAdam
    world_size: int  # as DeepSpeedConfig counts it: workers over sp_size (deepspeed/runtime/config.py:464)


class _Reached(Exception):
    pass


def prepare(launched: Launched) -> Prepared | Refused:
    """prepare(model, optimizer, loader) of a script with batch size 1, hidden size 64, Dummy objects where needed."""
    swapped: list[Any] = []
    world_size = launched.processes
    try:
        with accelerator(launched) as (started, _), applied(_patches(started, swapped)):
            if started.parallelism_config is not None:
                world_size //= started.parallelism_config.sp_size
            started.prepare(*_objects(started.state.deepspeed_plugin.deepspeed_config))
    except _Reached as reached:
        return Prepared(copy.deepcopy(reached.args[0]), bool(swapped), world_size)
    except Exception as error:
        return Refused.because("prepare", error)
    raise AssertionError("not a DeepSpeed job")


def _patches(started: Any, swapped: list[Any]) -> tuple[Patch, ...]:
    import accelerate.accelerator
    from deepspeed.runtime.sequence_parallel.ulysses_sp import UlyssesSPAttentionHF

    def reached(*_: Any, **__: Any) -> None:
        raise _Reached(started.state.deepspeed_plugin.deepspeed_config)

    def swap(optimizer: Any) -> Any:
        swapped.append(optimizer)
        return optimizer

    return (
        Patch(deepspeed(), "initialize", reached, "the configuration is final here; the engine is not the question"),
        Patch(UlyssesSPAttentionHF, "register_with_transformers", reached, "as above: sp_size > 1 comes here first"),
        Patch(accelerate.accelerator, "apply_fp8_autowrap", lambda model, _: model, "replaces layers with those of TE"),
        Patch(accelerate.Accelerator, "_prepare_te", lambda _, *objects: objects, "the same"),
        Patch(accelerate.Accelerator, "_prepare_ao", lambda _, *objects: objects, "the same, with torchao's"),
        Patch(
            accelerate.accelerator,
            "map_pytorch_optim_to_deepspeed",
            swap,
            "DeepSpeedCPUAdam would be compiled; that it is chosen is the fact",
        ),
    )


def _objects(config: dict[str, Any]) -> tuple[Any, ...]:
    import torch
    from accelerate.utils import DummyOptim, DummyScheduler
    from torch.utils.data import DataLoader

    model = torch.nn.Module()
    model.config = SimpleNamespace(hidden_size=HIDDEN_SIZE)  # type: ignore[assignment]
    model.layer = torch.nn.Linear(2, 2)
    for name in os.environ.get("ACCELERATE_DEEPSPEED_MOE_LAYER_CLS_NAMES", "").split(","):
        if name:
            setattr(model, name, type(name, (torch.nn.Module,), {})())
    parameters = list(model.parameters())
    optimizer = DummyOptim(parameters) if "optimizer" in config else torch.optim.AdamW(parameters)
    loader: DataLoader[int] = DataLoader(range(64), batch_size=MICRO_BATCH_SIZE)  # type: ignore[arg-type]
    if "scheduler" in config:
        return model, optimizer, loader, DummyScheduler(optimizer, total_num_steps=TOTAL_STEPS)
    return model, optimizer, loader
