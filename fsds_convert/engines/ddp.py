"""Plain data parallelism (distributed_type MULTI_GPU and its like): settings <-> plan."""

from __future__ import annotations

from typing import Any

from fsds_convert.engines import fsdp, parallelism
from fsds_convert.engines.fields import fixed, lift
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Setting, Settings
from fsds_convert.tables.load import load_table

TABLES = ("accelerate", "dynamo", "fp8")


def fields(settings: Settings, context: Context) -> dict[str, Setting[Any]]:
    """The plan fields of DistributedDataParallel: autocast, with weights and optimizer states as loaded."""
    found = {**fixed("ddp"), **lift("ddp", map(load_table, TABLES), settings)}
    found |= fsdp.precision("ddp", settings, context)
    return found | fsdp.launcher(found)


def settings_of(plan: TrainingPlan, values: dict[str, Any]) -> dict[str, Any]:
    """Adds to the values spelled by the rows what takes two plan fields: the precision."""
    return {**parallelism.without_parallelism(values), **fsdp.mixed_precision(plan)}
