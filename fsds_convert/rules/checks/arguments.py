"""TrainingArguments as a check sees them: of the file itself, or those that go with it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fsds_convert.rules.facts import Facts
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import NO_DEFAULT
from fsds_convert.tables.versions import Versions

# more steps than any training has
_MANY = 10**15


@dataclass(frozen=True)
class Arguments:
    """What is written, with the Trainer's defaults behind it."""

    written: Mapping[str, Any]

    def get(self, name: str) -> Any:
        """The value of an argument; a number that is written as text is that number."""
        return _number(self.written[name]) if name in self.written else _default(name)

    def on(self, name: str) -> bool:
        """Whether Python takes the argument for true."""
        return bool(self.get(name))

    @property
    def checkpointing(self) -> str | None:
        """The argument that switches activation checkpointing in the model on; None when it is off."""
        for name in ("activation_checkpointing", "gradient_checkpointing"):
            if self.written.get(name) is not None:
                return name if self.written[name] else None
        return None

    @property
    def steps(self) -> int | None:
        """The number of steps, where it does not hang on the data."""
        total = self.get("max_steps")
        return total if isinstance(total, int) and total > 0 else None

    @property
    def warmup_steps(self) -> int | None:
        """As get_warmup_steps counts them; None where they hang on a number of steps that is not known."""
        asked, total = self.get("warmup_steps"), self.steps
        if not _is_number(asked) or asked < 0:
            return None
        if asked >= 1 or asked == 0:
            return int(asked)
        return math.ceil(min(total, _MANY) * asked) if total else None


def arguments(facts: Facts) -> Arguments | None:
    """The arguments of the file, or those given beside it; None when none are known."""
    if facts.container == "trainer-args":
        return Arguments(facts.source.data)
    return None if facts.context.training_args is None else Arguments(facts.context.training_args)


def _default(name: str) -> Any:
    for row in load_table("training-args").by_key.get(name, ()):
        value = row.default_for("ddp", Versions())
        return None if value is NO_DEFAULT else value
    return None


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
