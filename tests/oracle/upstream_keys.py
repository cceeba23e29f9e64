"""The names upstream knows, read off the installed classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import lru_cache
from typing import Any, get_args

from .deepspeed_config import ranks
from .deepspeed_import import deepspeed
from .key_reader import read_names
from .node import applied


def cluster_config_keys() -> set[str]:
    """Top-level keys of a local config file; `legacy_cluster_config_keys` are accepted besides."""
    from accelerate.commands.config.config_args import ClusterConfig

    return {field.name for field in fields(ClusterConfig)}


def legacy_cluster_config_keys() -> set[str]:
    """Keys process_config turns into others before the unknown-key check (accelerate 1.15: fp16, dynamo_backend)."""
    from accelerate.commands.config.config_args import ClusterConfig

    consumed = set()
    for key in launch_parser_dests() | {"fp16"}:
        if key not in ClusterConfig.process_config({"distributed_type": "NO", key: "NO"}):
            consumed.add(key)
    return consumed


def launch_parser_dests() -> set[str]:
    """Destinations of `accelerate launch` flags: what a nested YAML key has to be called to be read."""
    from .launcher import parser

    return {action.dest for action in parser()._actions}


def fsdp_plugin_fields() -> set[str]:
    """Fields of FullyShardedDataParallelPlugin."""
    from accelerate.utils import FullyShardedDataParallelPlugin

    return {field.name for field in fields(FullyShardedDataParallelPlugin)}


def deepspeed_plugin_fields() -> set[str]:
    """Fields of DeepSpeedPlugin."""
    from accelerate.utils import DeepSpeedPlugin

    return {field.name for field in fields(DeepSpeedPlugin)}


def parallelism_fields() -> set[str]:
    """Fields of ParallelismConfig and of its context and sequence handlers."""
    from accelerate.parallelism_config import ParallelismConfig
    from accelerate.utils.dataclasses import DeepSpeedSequenceParallelConfig, TorchContextParallelConfig

    classes = (ParallelismConfig, TorchContextParallelConfig, DeepSpeedSequenceParallelConfig)
    return {field.name for owner in classes for field in fields(owner)}


def dynamo_fields() -> set[str]:
    """Fields of TorchDynamoPlugin."""
    from accelerate.utils import TorchDynamoPlugin

    return {field.name for field in fields(TorchDynamoPlugin)}


@lru_cache(maxsize=1)
def deepspeed_json_keys() -> frozenset[str]:
    """Dotted names DeepSpeedConfig reads, with the aliases and fields of its pydantic sections; no removed keys."""
    with applied(ranks(1)):
        names = read_names(deepspeed().runtime.config.DeepSpeedConfig)
    names |= {"sequence_parallel_size", "data_parallel_size"}  # by deepspeed.initialize, deepspeed/__init__.py:543
    for section, model in _models().items():
        names |= set(_fields(section, model))
    return frozenset(names - removed_deepspeed_keys())


def removed_deepspeed_keys() -> set[str]:
    """Names DeepSpeedConfig refuses because the feature is gone."""
    config = deepspeed().runtime.config
    return set(config._REMOVED_TOP_LEVEL_CONFIG_KEYS) | {
        f"zero_optimization.{key}" for key in config._REMOVED_ZERO_CONFIG_KEYS
    }


def _models() -> dict[str, Any]:
    config = deepspeed().runtime.config
    from deepspeed.comm.config import CommsLoggerConfig
    from deepspeed.inference.config import WeightQuantConfig
    from deepspeed.monitor.config import DeepSpeedMonitorConfig
    from deepspeed.runtime.precision_config import DeepSpeedBF16Config, DeepSpeedFP16Config
    from deepspeed.runtime.tensor_parallel.config import TPTrainingConfig
    from deepspeed.runtime.zero.config import DeepSpeedZeroConfig
    from deepspeed.utils.config import DeepSpeedThroughputTimerConfig

    return {
        "zero_optimization": DeepSpeedZeroConfig,
        "bf16": DeepSpeedBF16Config,
        "bfloat16": DeepSpeedBF16Config,
        "fp16": DeepSpeedFP16Config,
        "compile": config.CompileConfig,
        "hybrid_engine": config.HybridEngineConfig,
        "tensor_parallel": TPTrainingConfig,
        "comms_logger": CommsLoggerConfig,
        "weight_quantization": WeightQuantConfig,
        "timers.throughput": DeepSpeedThroughputTimerConfig,
        **{name: info.annotation for name, info in DeepSpeedMonitorConfig.model_fields.items() if name != "enabled"},
    }


def _fields(prefix: str, model: Any) -> Iterator[str]:
    for name, info in model.model_fields.items():
        spellings = {name, info.alias or name}
        for spelling in spellings:
            yield f"{prefix}.{spelling}"
            for inner in (info.annotation, *get_args(info.annotation)):
                if hasattr(inner, "model_fields"):
                    yield from _fields(f"{prefix}.{spelling}", inner)
