"""FullyShardedDataParallelPlugin as the state holds it, in plain values."""

from __future__ import annotations

from typing import Any


def settings(started: Any) -> dict[str, Any]:
    """Every field of the plugin by its own name; enums by their names, `mixed_precision_policy` as dtype names."""
    plugin = started.state.fsdp_plugin
    return {
        "fsdp_version": plugin.fsdp_version,
        "sharding_strategy": _name(plugin.sharding_strategy),
        "reshard_after_forward": _name(plugin.reshard_after_forward),
        "cpu_offload": _cpu_offload(plugin.cpu_offload),
        "auto_wrap_policy": _wrap_policy(plugin),
        "transformer_cls_names_to_wrap": plugin.transformer_cls_names_to_wrap,
        "min_num_params": plugin.min_num_params,
        "backward_prefetch": _name(plugin.backward_prefetch),
        "forward_prefetch": plugin.forward_prefetch,
        "limit_all_gathers": plugin.limit_all_gathers,
        "use_orig_params": plugin.use_orig_params,
        "sync_module_states": plugin.sync_module_states,
        "cpu_ram_efficient_loading": plugin.cpu_ram_efficient_loading,
        "state_dict_type": _name(plugin.state_dict_type),
        "activation_checkpointing": plugin.activation_checkpointing,
        "activation_checkpointing_offload": plugin.activation_checkpointing_offload,
        "ignored_modules": plugin.ignored_modules,
        "mixed_precision_policy": _policy(plugin.mixed_precision_policy),
    }


def _name(value: Any) -> Any:
    return getattr(value, "name", value)


def _cpu_offload(value: Any) -> bool:
    from torch.distributed.fsdp import CPUOffloadPolicy

    return isinstance(value, CPUOffloadPolicy) or bool(getattr(value, "offload_params", False))


def _wrap_policy(plugin: Any) -> str:
    from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
    from torch.nn import Module

    if plugin.auto_wrap_policy is size_based_auto_wrap_policy:
        plugin.set_auto_wrap_policy(Module())  # as prepare does: no minimum means no wrapping
        return "NO_WRAP" if plugin.auto_wrap_policy is None else "SIZE_BASED_WRAP"
    return "NO_WRAP" if plugin.auto_wrap_policy is None else "TRANSFORMER_BASED_WRAP"


def _policy(policy: Any) -> dict[str, str | None] | None:
    if policy is None:
        return None
    dtypes = ("param_dtype", "reduce_dtype", "buffer_dtype", "output_dtype")
    return {name: _dtype(getattr(policy, name)) for name in dtypes if hasattr(policy, name)}


def _dtype(value: Any) -> str | None:
    return None if value is None else str(value).removeprefix("torch.")
