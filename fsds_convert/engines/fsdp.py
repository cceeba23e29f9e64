"""FSDP1 and FSDP2: what both have in common."""

from __future__ import annotations

from typing import Any

from fsds_convert.engines.fields import Engine
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided, Setting, Settings
from fsds_convert.tables.row import Since

# FSDP1 got its upcast in accelerate 0.30.0 (#2674); FSDP2's was without effect in 1.13.0 (#3905)
_FSDP1_UPCAST = Since.parse("accelerate 0.30.0")
_FSDP2_LOST = Since.parse("accelerate 1.13.0")
_FSDP2_BACK = Since.parse("accelerate 1.14.0")


def upcasts(engine: Engine, context: Context) -> bool:
    """Whether trainable 16-bit parameters become fp32 master weights under mixed precision (accelerator.py:1998)."""
    if engine == "fsdp1":
        return _FSDP1_UPCAST.reached(context.versions)
    return not _FSDP2_LOST.reached(context.versions) or _FSDP2_BACK.reached(context.versions)


def precision(engine: Engine, settings: Settings, context: Context) -> dict[str, Setting[Any]]:
    """Compute, master weights and optimizer states under Accelerate's mixed_precision (semantics C.1, C.2)."""
    mode = settings["mixed_precision"]
    loaded: Any = context.model_dtype or Decided.AS_LOADED

    def compute(value: Any) -> Any:
        return loaded if value == "no" else value

    def kept(value: Any) -> Any:
        return "fp32" if value != "no" and upcasts(engine, context) else loaded

    return {
        "precision.compute": mode.lift(compute(mode.value), compute(mode.intent)),
        "precision.master_weights": mode.lift(kept(mode.value), kept(mode.intent)),
        "precision.optimizer_states": mode.lift(kept(mode.value), kept(mode.intent)),
    }


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
