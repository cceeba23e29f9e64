"""FSDP1 and FSDP2: what both have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsds_convert.engines.fields import Engine
from fsds_convert.engines.stages import asked
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided, Setting, Settings

_FIELDS = ("compute", "master_weights", "optimizer_states")


def upcasts(engine: Engine, context: Context) -> bool:
    """Whether trainable 16-bit parameters become fp32 master weights under mixed precision."""
    loaded_low = replace(context, model_dtype="bf16")
    return bool(asked(engine, loaded_low, "bf16", {}).value("master_weights") == "fp32")


def precision(engine: Engine, settings: Settings, context: Context) -> dict[str, Setting[Any]]:
    """Compute, master weights and optimizer states under Accelerate's mixed_precision (semantics C.1, C.2)."""
    mode = settings["mixed_precision"]
    runs, meant = asked(engine, context, mode.value, {}), asked(engine, context, mode.intent, {})
    return {f"precision.{name}": mode.lift(runs.value(name), meant.value(name)) for name in _FIELDS}


def mixed_precision(plan: TrainingPlan) -> dict[str, Any]:
    """Accelerate's mode for the plan's dtypes; all the same is `no`, with a model loaded in that dtype."""
    compute, master = plan.precision.compute.value, plan.precision.master_weights.value
    return {"mixed_precision": "no" if compute == master or isinstance(compute, Decided) else compute}


def offload(fields: dict[str, Setting[Any]]) -> dict[str, Setting[Any]]:
    """FSDP offloads parameters, gradients and optimizer states together."""
    return {"offload.optimizer": fields["offload.parameters"]}


def wrapping(fields: dict[str, Setting[Any]]) -> dict[str, Setting[Any]]:
    """SIZE_BASED_WRAP with a threshold of 0 wraps nothing (accelerate/utils/dataclasses.py `set_auto_wrap_policy`)."""
    policy, threshold = fields["wrapping.policy"], fields["wrapping.min_num_params"]
    if policy.value != "size" or threshold.value:
        return {}
    return {"wrapping.policy": policy.lift("none", policy.intent, "a threshold of 0 wraps nothing")}


def launcher(fields: dict[str, Setting[Any]]) -> dict[str, Setting[Any]]:
    """FSDP and DDP start through torchrun on every machine."""
    machines = fields["topology.num_machines"]
    many = isinstance(machines.value, int) and machines.value > 1
    return {"topology.multinode_launcher": machines.lift("standard" if many else None, "standard" if many else None)}
