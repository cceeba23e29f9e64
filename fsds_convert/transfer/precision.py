"""Compute, master weights and optimizer states, kept together (semantics B.9, C; design 3.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsds_convert.engines.fsdp import upcasts
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided, Setting
from fsds_convert.tables.row import Since
from fsds_convert.transfer.route import Choice, Route

_LOW = ("bf16", "fp16", "fp8")
_BF16_STATES = Since.parse("deepspeed 0.18.3")
_DTYPES = ("precision.compute", "precision.master_weights", "precision.optimizer_states")


def precision(route: Route, path: str, setting: Setting[Any]) -> Choice | None:
    """The mode of the target that keeps all three dtypes, or what comes nearest."""
    compute, master, states = (route.values[name] for name in _DTYPES)
    if compute is Decided.BY_COMMAND_LINE:
        loaded: Any = route.context.model_dtype or Decided.AS_LOADED
        return _choose(route, "precision-left-to-the-command-line", setting, (loaded, loaded, loaded))
    if route.target == "deepspeed":
        return _to_deepspeed(route, setting, compute, master, states)
    return _to_fsdp(route, setting, compute, master, states)


def _choose(route: Route, name: str, setting: Setting[Any], dtypes: tuple[Any, Any, Any]) -> Choice:
    return route.choose(
        name, setting, dtypes[0], precision__master_weights=dtypes[1], precision__optimizer_states=dtypes[2]
    )


def _mixed(route: Route, setting: Setting[Any], compute: str) -> Choice:
    """16-bit compute with fp32 master weights and optimizer states on both sides."""
    pair = {route.source, route.target}
    if compute == "fp16" and "deepspeed" in pair:
        name = "loss-scaler-differs"
    elif pair == {"fsdp1", "fsdp2"}:
        name = "fsdp2-does-not-autocast"
    elif pair & {"fsdp1", "ddp"}:
        name = "only-fsdp1-autocasts"
    else:
        name = "precision-mode-kept"
    return _choose(route, name, setting, (compute, "fp32", "fp32"))


def _to_deepspeed(route: Route, setting: Setting[Any], compute: Any, master: Any, states: Any) -> Choice:
    stage0 = route.decided["sharding.strategy"] == "replicate"
    stage3 = route.decided["sharding.strategy"] == "shard_parameters"
    if compute in _LOW and master == "fp32":
        return _mixed(route, setting, compute)
    if compute == "fp32":
        return _choose(route, "precision-mode-kept", setting, ("fp32", "fp32", "fp32"))
    if compute in _LOW and master is Decided.AS_LOADED:
        return _choose(route, "load-the-model-in-fp32", setting, (compute, "fp32", "fp32"))
    if compute is Decided.AS_LOADED:
        if stage0:
            return _choose(route, "precision-mode-kept", setting, (compute, compute, compute))
        return _choose(route, "load-the-model-in-fp32", setting, ("fp32" if stage3 else compute, "fp32", "fp32"))
    possible = has_low_master_weights(route.decided, route.context) and route.options.deepspeed_json != "never"
    if compute == "bf16" and possible:
        return _choose(route, "memory-constrained-mode-kept", setting, ("bf16", "bf16", "bf16"))
    return _choose(route, "no-such-precision-mode", setting, (compute, "fp32", "fp32"))


def has_low_master_weights(values: Mapping[str, Any], context: Context) -> bool:
    """Whether DeepSpeed can keep bf16 master weights and optimizer states for these values of the plan."""
    sharded = values["sharding.strategy"] != "replicate"
    return sharded and values["offload.optimizer"] == "none" and _BF16_STATES.reached(context.versions)


def _to_fsdp(route: Route, setting: Setting[Any], compute: Any, master: Any, states: Any) -> Choice:
    loaded: Any = route.context.model_dtype or Decided.AS_LOADED
    keeps_fp32 = route.target != "ddp" and upcasts(route.target, route.context)
    if compute in _LOW and master == "fp32" and states == "fp32":
        if keeps_fp32 or loaded == "fp32":
            return _mixed(route, setting, compute)
        return _choose(route, "load-the-model-in-fp32", setting, (compute, loaded, loaded))
    if compute in _LOW and master is Decided.AS_LOADED:
        kept = "fp32" if keeps_fp32 else loaded
        name = "load-the-model-in-fp32" if keeps_fp32 else "precision-mode-kept"
        return _choose(route, name, setting, (compute, kept, kept))
    if compute == master == states:
        name = "precision-mode-kept"
        if compute == "bf16":
            name = "memory-constrained-mode-kept" if loaded == "bf16" else "load-the-model-in-bf16"
        elif compute != loaded:
            name = "load-the-model-in-fp32"
        return _choose(route, name, setting, (loaded, loaded, loaded))
    if compute in ("fp32", Decided.AS_LOADED) and master == "fp32":
        name = "precision-mode-kept" if loaded == "fp32" else "load-the-model-in-fp32"
        return _choose(route, name, setting, (loaded, loaded, loaded))
    return _choose(route, "no-such-precision-mode", setting, (compute, "fp32", "fp32"))
