"""Generated configs: an exhaustive product over the enumerations of each dialect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product

Text = tuple[str, str]  # suffix, content

_TOP = "compute_environment: LOCAL_MACHINE\nnum_processes: 8\nnum_machines: {machines}\n{ip}machine_rank: 0\n"


def fsdp1() -> Iterator[Text]:
    """Every strategy, offload, state dict type, prefetch, wrap policy, precision and way of loading."""
    strategies = ("FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD", "HYBRID_SHARD_ZERO2")
    loading = (("true", "true"), ("false", "true"), ("false", "false"))
    for strategy, offload, kind, prefetch, wrap, precision, (ram, sync) in product(
        strategies,
        ("true", "false"),
        ("FULL_STATE_DICT", "SHARDED_STATE_DICT", "LOCAL_STATE_DICT"),
        ("BACKWARD_PRE", "BACKWARD_POST", None),
        ("TRANSFORMER_BASED_WRAP", "SIZE_BASED_WRAP", None),
        ("'no'", "bf16", "fp16"),
        loading,
    ):
        keys = {
            "fsdp_sharding_strategy": strategy,
            "fsdp_offload_params": offload,
            "fsdp_state_dict_type": kind,
            "fsdp_backward_prefetch": prefetch,
            "fsdp_auto_wrap_policy": wrap,
            "fsdp_cpu_ram_efficient_loading": ram,
            "fsdp_sync_module_states": sync,
        }
        yield _fsdp(keys, precision, machines=2 if strategy.startswith("HYBRID") else 1)


def fsdp2() -> Iterator[Text]:
    """Every reshard, offload, state dict type, wrap policy, precision, way of loading, checkpointing and mesh."""
    for reshard, offload, kind, wrap, precision, ram, recompute, mesh in product(
        ("true", "false", None),
        ("true", "false"),
        ("FULL_STATE_DICT", "SHARDED_STATE_DICT", None),
        ("TRANSFORMER_BASED_WRAP", "SIZE_BASED_WRAP", None),
        ("'no'", "bf16", "fp16"),
        ("true", "false"),
        ("true", "false"),
        (None, (2, 4)),
    ):
        keys = {
            "fsdp_version": "2",
            "fsdp_reshard_after_forward": reshard,
            "fsdp_offload_params": offload,
            "fsdp_state_dict_type": kind,
            "fsdp_auto_wrap_policy": wrap,
            "fsdp_cpu_ram_efficient_loading": ram,
            "fsdp_activation_checkpointing": recompute,
        }
        yield _fsdp(keys, precision, machines=2 if mesh else 1, mesh=mesh)


def _fsdp(keys: dict[str, str | None], precision: str, machines: int, mesh: tuple[int, int] | None = None) -> Text:
    lines = [f"  {key}: {value}\n" for key, value in keys.items() if value is not None]
    text = (
        _top(machines) + "distributed_type: FSDP\nmixed_precision: " + precision + "\nfsdp_config:\n" + "".join(lines)
    )
    if mesh:
        text += "parallelism_config:\n"
        text += f"  parallelism_config_dp_replicate_size: {mesh[0]}\n  parallelism_config_dp_shard_size: {mesh[1]}\n"
    return ".yaml", text


def _top(machines: int) -> str:
    return _TOP.format(machines=machines, ip="main_process_ip: 10.0.0.1\n" if machines > 1 else "")


def deepspeed_inline() -> Iterator[Text]:
    """Every stage, offload, clipping, accumulation, precision, gathering and multi-node launcher."""
    for stage, optimizer, parameters, clipping, steps, precision, gather, machines in product(
        ("0", "1", "2", "3", None),
        ("none", "cpu"),
        ("none", "cpu"),
        (None, "0", "0.5", ".inf"),
        (None, "4"),
        ("'no'", "bf16", "fp16"),
        (None, "true", "false"),
        (1, 2),
    ):
        keys = {
            "zero_stage": stage,
            "offload_optimizer_device": optimizer,
            "offload_param_device": parameters,
            "gradient_clipping": clipping,
            "gradient_accumulation_steps": steps,
            "zero3_save_16bit_model": gather,
            "deepspeed_multinode_launcher": "standard" if machines > 1 else None,
        }
        lines = [f"  {key}: {value}\n" for key, value in keys.items() if value is not None]
        head = _top(machines) + "distributed_type: DEEPSPEED\nmixed_precision: " + precision + "\n"
        yield ".yaml", head + "deepspeed_config:\n" + "".join(lines)


_MODES: tuple[dict[str, object], ...] = (
    {},
    {"bf16": {"enabled": True}},
    {"bf16": {"enabled": False}},
    {"fp16": {"enabled": True, "initial_scale_power": 12}},
    {"bf16": {"enabled": True, "bf16_master_weights_and_grads": True, "bf16_optimizer_states": True}},
    {"torch_autocast": {"enabled": True, "dtype": "bfloat16"}},
    {"bf16": {"enabled": True}, "communication_data_type": "fp32"},
)


def deepspeed_json() -> Iterator[Text]:
    """Every stage, offload, precision section, clipping, accumulation, hpZ, gathering and optimizer."""
    optimizer = {"type": "AdamW", "params": {"lr": 1e-4, "weight_decay": 0.1}}
    for stage, device, mode, clipping, steps, hpz, gather, own in product(
        (0, 1, 2, 3),
        (None, "cpu"),
        _MODES,
        (None, 0.0, 0.5, "auto"),
        (None, 2),
        (None, 4),
        (None, True),
        (None, optimizer),
    ):
        section: dict[str, object] = {"stage": stage}
        config: dict[str, object] = {"zero_optimization": section, "train_micro_batch_size_per_gpu": "auto", **mode}
        low = "bf16_master_weights_and_grads" in str(mode)
        if (low and (stage == 0 or device)) or (hpz and stage != 3) or (gather and stage != 3):
            continue  # DeepSpeed refuses the first; the others have no effect below stage 3
        for target, key, value in (
            (section, "offload_optimizer", device and {"device": device}),
            (section, "zero_hpz_partition_size", hpz),
            (section, "stage3_gather_16bit_weights_on_model_save", gather),
            (config, "gradient_clipping", clipping),
            (config, "gradient_accumulation_steps", steps),
            (config, "optimizer", own),
        ):
            if value is not None:
                target[key] = value
        yield ".json", json.dumps(config)
