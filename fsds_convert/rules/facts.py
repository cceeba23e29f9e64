"""What a rule may ask of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from fsds_convert.diagnostics import Place
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Setting, Settings
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Path


@dataclass(frozen=True)
class Facts:
    """A file as it was read: `settings` by the keys of the tables, `plan` what runs where an engine stands behind it.

    `container` is accelerate, deepspeed-json, trainer-fsdp or trainer-args, `engine` fsdp1, fsdp2, deepspeed or ddp.
    `deepspeed_file` is the JSON that an Accelerate file names, when it was found; `deepspeed_path` its name as written.
    """

    source: Source
    container: str
    engine: str
    settings: Settings
    context: Context
    make_plan: Callable[[], TrainingPlan] | None = field(default=None, compare=False)
    distributed_type: str = ""
    deepspeed_file: Source | None = None
    deepspeed_path: str | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def plan(self) -> TrainingPlan | None:
        """What runs; None where no engine stands behind the file. Made when it is asked for: most rules do not."""
        return self.make_plan() if self.make_plan is not None else None

    def setting(self, key: str) -> Setting[Any] | None:
        """The setting of a key, None when it neither is written nor has a default."""
        return self.settings.get(key)

    def runs(self, key: str) -> Any:
        """The value that runs; None when there is none."""
        setting = self.settings.get(key)
        return None if setting is None else setting.value

    def written(self, key: str) -> bool:
        """Whether the file holds the key."""
        setting = self.settings.get(key)
        return setting is not None and setting.is_written

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Where a value, or its key, stands; the nearest section around it that is written, else the file."""
        spans = (self.source.keys, self.source.values) if key else (self.source.values, self.source.keys)
        for length in range(len(path), 0, -1):
            span = spans[0].get(path[:length]) or spans[1].get(path[:length])
            if span is not None:
                return Place(self.source.name, span if length == len(path) else self.source.keys.get(path[:length]))
        return Place(self.source.name)
