"""What one run will do, whichever engine runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from fsds_convert.errors import TableError
from fsds_convert.plan import groups
from fsds_convert.settings.setting import Setting


@dataclass(frozen=True)
class TrainingPlan:
    """All settings of a run by group; `engine_only` holds those keys of the engine that have no neutral word."""

    sharding: groups.Sharding
    offload: groups.Offload
    loading: groups.Loading
    checkpoint: groups.Checkpoint
    prefetch: groups.Prefetch
    wrapping: groups.Wrapping
    accumulation: groups.Accumulation
    clipping: groups.Clipping
    batch: groups.Batch
    precision: groups.Precision
    activation_checkpointing: groups.ActivationCheckpointing
    compile: groups.Compile
    fp8: groups.Fp8
    parallelism: groups.Parallelism
    topology: groups.Topology
    optimizer: groups.Optimizer
    scheduler: groups.Scheduler
    engine_only: Mapping[str, Setting[Any]]

    def items(self) -> Iterator[tuple[str, Setting[Any]]]:
        """Every field as `group.field` with its setting, in the order of the groups."""
        for path in FIELDS:
            yield path, self.get(path)

    def get(self, path: str) -> Setting[Any]:
        """The setting of `group.field`; raises TableError when the plan has no such field."""
        if path not in FIELDS:
            raise TableError(f"the plan has no field {path}")
        group, _, name = path.partition(".")
        setting: Setting[Any] = getattr(getattr(self, group), name)
        return setting

    def with_fields(self, changes: Mapping[str, Setting[Any]]) -> TrainingPlan:
        """The plan with some fields replaced; raises TableError for a field that it does not have."""
        if unknown := set(changes) - set(FIELDS):
            raise TableError(f"the plan has no field {', '.join(sorted(unknown))}")
        by_group: dict[str, dict[str, Setting[Any]]] = {}
        for path, setting in changes.items():
            group, _, name = path.partition(".")
            by_group.setdefault(group, {})[name] = setting
        return replace(self, **{group: replace(getattr(self, group), **names) for group, names in by_group.items()})


GROUPS: dict[str, type[Any]] = {
    "sharding": groups.Sharding,
    "offload": groups.Offload,
    "loading": groups.Loading,
    "checkpoint": groups.Checkpoint,
    "prefetch": groups.Prefetch,
    "wrapping": groups.Wrapping,
    "accumulation": groups.Accumulation,
    "clipping": groups.Clipping,
    "batch": groups.Batch,
    "precision": groups.Precision,
    "activation_checkpointing": groups.ActivationCheckpointing,
    "compile": groups.Compile,
    "fp8": groups.Fp8,
    "parallelism": groups.Parallelism,
    "topology": groups.Topology,
    "optimizer": groups.Optimizer,
    "scheduler": groups.Scheduler,
}
FIELDS: tuple[str, ...] = tuple(f"{name}.{field.name}" for name, group in GROUPS.items() for field in fields(group))


def plan_of(values: Mapping[str, Setting[Any]], engine_only: Mapping[str, Setting[Any]]) -> TrainingPlan:
    """A plan from a setting for each field; raises TableError naming the fields that are missing."""
    if missing := [path for path in FIELDS if path not in values]:
        raise TableError(f"no setting for the plan fields {', '.join(missing)}")
    built = {
        name: group(**{field.name: values[f"{name}.{field.name}"] for field in fields(group)})
        for name, group in GROUPS.items()
    }
    return TrainingPlan(**built, engine_only=engine_only)
