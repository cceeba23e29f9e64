"""FSDP2 (torch's fully_shard): settings <-> plan."""

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
_SHARD = "parallelism_config.parallelism_config_dp_shard_size"
_OTHER_DEGREES = ("parallelism.tensor", "parallelism.context")


def fields(settings: Settings, context: Context) -> dict[str, Setting[Any]]:
    """The plan fields of effective FSDP2 settings."""
    found = {**fixed("fsdp2"), **lift("fsdp2", map(load_table, TABLES), settings)}
    found |= fsdp.precision("fsdp2", settings, context) | fsdp.offload(found)
    found |= fsdp.wrapping(found) | fsdp.launcher(found) | parallelism.idle("fsdp2", found)
    found["sharding.strategy"] = _declared(settings, found["sharding.strategy"])
    ram = found["loading.cpu_ram_efficient"]
    note = "rank 0's weights are broadcast only with cpu_ram_efficient_loading"
    found["loading.sync_module_states"] = ram.lift(ram.value, ram.intent, note)
    return found


def _declared(settings: Settings, reshard: Setting[Any]) -> Setting[Any]:
    """FSDP1's key under FSDP2 has no effect, but says what was meant where fsdp_reshard_after_forward is missing."""
    strategy = settings.get(_STRATEGY)
    if reshard.is_written or strategy is None or not strategy.is_written:
        return reshard
    meant = load_table("fsdp").by_key[_STRATEGY][0].values.get(strategy.intent)
    if meant not in ("shard_parameters", "shard_gradients"):
        return reshard  # NO_SHARD cannot be meant of FSDP2
    return strategy.lift(reshard.value, meant, "" if meant == reshard.value else strategy.note)


def settings_of(plan: TrainingPlan, values: dict[str, Any]) -> dict[str, Any]:
    """Adds to the values spelled by the rows what takes two plan fields: the size of the shard group."""
    values = {**values, _VERSION: 2, **fsdp.mixed_precision(plan)}
    processes, replicas = plan.topology.num_processes.value, plan.sharding.replicas.value
    degrees = [plan.get(path).value for path in _OTHER_DEGREES]
    if (replicas > 1 or max(degrees) > 1) and isinstance(processes, int):
        shard = processes // replicas
        for degree in degrees:
            shard //= degree
        values[_SHARD] = shard
        return values
    return parallelism.without_parallelism(values)
