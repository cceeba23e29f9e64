"""FSDP1 (torch's FullyShardedDataParallel): settings <-> plan."""

from __future__ import annotations

from typing import Any

from fsds_convert.engines import fsdp, parallelism
from fsds_convert.engines.fields import fixed, lift
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Setting, Settings
from fsds_convert.tables.load import load_table

TABLES = ("accelerate", "fsdp", "parallelism", "dynamo", "fp8")
_VERSION = "fsdp_config.fsdp_version"
_STRATEGY = "fsdp_config.fsdp_sharding_strategy"
_RESHARD = "fsdp_config.fsdp_reshard_after_forward"


def fields(settings: Settings, context: Context) -> dict[str, Setting[Any]]:
    """The plan fields of effective FSDP1 settings."""
    found = {**fixed("fsdp1"), **lift("fsdp1", map(load_table, TABLES), settings)}
    found["sharding.strategy"], found["sharding.replicas"] = _sharding(settings, found, context)
    found |= fsdp.precision("fsdp1", settings, context) | fsdp.offload(found)
    found |= fsdp.wrapping(found) | fsdp.launcher(found) | parallelism.idle("fsdp1", found) | _loading(found)
    return found


def _sharding(
    settings: Settings, found: dict[str, Setting[Any]], context: Context
) -> tuple[Setting[Any], Setting[Any]]:
    """The strategy that runs, with the declared one as its intent; HYBRID_* keeps a replica on each node."""
    words = load_table("fsdp").by_key[_STRATEGY][0].values
    strategy = settings[_STRATEGY]
    declared = settings.get(_RESHARD)
    if declared is not None and declared.is_written and not strategy.is_written and isinstance(declared.intent, str):
        note = f"FSDP1 runs {strategy.value}: Accelerate reads only fsdp_sharding_strategy"
        strategy = declared.lift(strategy.value, declared.intent, note if declared.intent != strategy.value else "")

    def replicas(spelling: Any) -> int:
        return _machines(found, context) if str(spelling).startswith("HYBRID") else 1

    return (
        strategy.lift(words.get(strategy.value), words.get(strategy.intent)),
        strategy.lift(replicas(strategy.value), replicas(strategy.intent)),
    )


def _machines(found: dict[str, Setting[Any]], context: Context) -> int:
    """FSDP1 shards over the devices that one node has (torch/distributed/fsdp/_init_utils.py:152)."""
    processes, machines = found["topology.num_processes"].value, found["topology.num_machines"].value
    if context.gpus_per_node and isinstance(processes, int):
        return max(1, processes // context.gpus_per_node)
    return machines if isinstance(machines, int) else 1


def _loading(found: dict[str, Setting[Any]]) -> dict[str, Setting[Any]]:
    """Loading on rank 0 alone forces the broadcast (accelerate/utils/dataclasses.py:1983)."""
    if found["loading.cpu_ram_efficient"].value is not True:
        return {}
    sync = found["loading.sync_module_states"]
    return {"loading.sync_module_states": sync.lift(True, True)}


def settings_of(plan: TrainingPlan, values: dict[str, Any]) -> dict[str, Any]:
    """Adds to the values spelled by the rows what takes two plan fields: the strategy with its replicas."""
    words = load_table("fsdp").by_key[_STRATEGY][0].values
    hybrid = plan.sharding.replicas.value > 1
    strategy = next(
        spelling
        for spelling, word in words.items()
        if word == plan.sharding.strategy.value and spelling.startswith("HYBRID") == hybrid
    )
    values.pop(_RESHARD, None)
    values = parallelism.without_parallelism(values)
    return {**values, _VERSION: 1, _STRATEGY: strategy, **fsdp.mixed_precision(plan)}
