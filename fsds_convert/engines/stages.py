"""Which dtype a stage of the training step has: evaluates `mappings/precision.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from fsds_convert.engines.fields import Engine
from fsds_convert.errors import TableError
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided
from fsds_convert.tables.load import condition, load_document
from fsds_convert.tables.row import Condition
from fsds_convert.tables.versions import Versions

_DTYPES = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32", "float": "fp32"}


@dataclass(frozen=True)
class Alternative:
    """What a stage has where the condition holds. `value` is a literal or a word that is looked up, see the table."""

    condition: Condition
    value: Any
    why: str
    source: str


@dataclass(frozen=True)
class Stage:
    """One stage: what it is, what a difference in it does to training, and its alternatives in order."""

    name: str
    about: str
    differs: str
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True)
class Asked:
    """An engine with what decides: effective settings, plan fields, and `mode` and `loaded`."""

    engine: Engine
    versions: Versions
    facts: Mapping[str, Any]

    def alternative(self, stage: str) -> Alternative:
        """The first alternative of a stage that holds; raises TableError when none does."""
        for alternative in stages()[stage].alternatives:
            if alternative.condition.holds(self.engine, self.versions, self.facts):
                return alternative
        raise TableError(f"mappings/precision.yaml: no alternative of {stage} holds for {self.engine}")

    def value(self, stage: str) -> Any:
        """A dtype, `none` and its like, or who decides it."""
        return self._resolved(self.alternative(stage).value)

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, dict):
            ((word, parts),) = value.items()
            each = dict.fromkeys(_text(self._resolved(part)) for part in parts)
            return f" {word} ".join(each)
        if value in ("loaded", "mode", "mode16"):
            return self._named(value)
        kind, _, name = str(value).partition(".")
        if kind == "stage":
            return self.value(name)
        if kind in ("plan", "setting"):
            found = self.facts.get(name)
            return _DTYPES.get(str(found), found)
        return value

    def _named(self, word: str) -> Any:
        if word == "loaded":
            return self.facts.get("loaded") or Decided.AS_LOADED
        mode = self.facts["mode"]
        if mode == "auto":
            return Decided.BY_COMMAND_LINE
        return "bf16" if (word, mode) == ("mode16", "fp8") else mode


def _text(value: Any) -> str:
    return value.value if isinstance(value, Decided) else str(value)


def asked(engine: Engine, context: Context, mode: Any, facts: Mapping[str, Any]) -> Asked:
    """The question for an engine under a mixed precision mode."""
    return Asked(engine, context.versions, {**facts, "mode": mode, "loaded": context.model_dtype})


@cache
def stages() -> Mapping[str, Stage]:
    """Every stage, in the order of the table; raises TableError for one that is not well formed."""
    try:
        return {
            name: Stage(name, raw["about"], raw["differs"], tuple(map(_alternative, raw["alternatives"])))
            for name, raw in load_document("precision")["stages"].items()
        }
    except (KeyError, TypeError, ValueError) as error:
        raise TableError(f"mappings/precision.yaml: {type(error).__name__}: {error}") from error


def _alternative(raw: dict[str, Any]) -> Alternative:
    return Alternative(condition(raw), raw["value"], raw["why"], raw["source"])
