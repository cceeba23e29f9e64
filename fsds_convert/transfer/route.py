"""One conversion: where from, where to, for whom; and what has been decided so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from fsds_convert.engines.fields import Engine
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Setting
from fsds_convert.transfer.note import Note, noted
from fsds_convert.transfer.options import Options
from fsds_convert.transfer.rows import SAME, transfer


@dataclass(frozen=True)
class Choice:
    """A note, and what it means for other fields."""

    note: Note
    also: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Route:
    """`decided` holds the target's value of each field that has been adapted already, in the plan's order."""

    plan: TrainingPlan
    source: Engine
    target: Engine
    context: Context
    options: Options
    decided: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def values(self) -> dict[str, Any]:
        """The source's value of every plan field and of every key without one."""
        fields = {path: setting.value for path, setting in self.plan.items()}
        return fields | {key: setting.value for key, setting in self.plan.engine_only.items()}

    def choose(self, name: str, setting: Setting[Any], after: Any = SAME, script: str = "", **also: Any) -> Choice:
        """The row of a name as a choice; `also` names other fields with `__` for the dot."""
        note = noted(transfer(name), setting, self.context.consumer, after, script)
        return Choice(note, {path.replace("__", "."): value for path, value in also.items()})
