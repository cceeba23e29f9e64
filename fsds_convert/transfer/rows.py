"""The rows of `mappings/transfer.yaml`, typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from enum import Enum
from functools import cache
from typing import Any

from fsds_convert.engines.fields import plan_value
from fsds_convert.errors import TableError
from fsds_convert.tables.load import load_document


class Fidelity(Enum):
    """How well a setting is kept, from best to worst."""

    EXACT = "exact"
    AUTOMATIC = "automatic"
    APPROXIMATE = "approximate"
    DROPPED = "dropped"
    REFUSED = "refused"

    @property
    def rank(self) -> int:
        """0 for exact, 4 for refused."""
        return list(Fidelity).index(self)


SAME: Any = object()


@dataclass(frozen=True)
class Transfer:
    """What becomes of one field, and when. `becomes` is SAME where the value is kept."""

    code: str
    name: str
    field: str
    fidelity: Fidelity
    effect: str
    reason: str
    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    values: tuple[Any, ...] | None = None
    not_values: tuple[Any, ...] | None = None
    when: Mapping[str, tuple[Any, ...]] = dataclass_field(default_factory=dict)
    when_not: Mapping[str, tuple[Any, ...]] = dataclass_field(default_factory=dict)
    consumer: str | None = None
    becomes: Any = SAME
    chosen_by: str | None = None
    script: Mapping[str, str] = dataclass_field(default_factory=dict)

    def matches(self, source: str, target: str, consumer: str, values: Mapping[str, Any]) -> bool:
        """Whether the row is about these engines, this consumer and these values of the source."""
        value = values[self.field]
        return (
            source in self.sources
            and target in self.targets
            and self.consumer in (None, consumer)
            and (self.values is None or value in self.values)
            and (self.not_values is None or value not in self.not_values)
            and all(values.get(path) in allowed for path, allowed in self.when.items())
            and all(values.get(path) not in barred for path, barred in self.when_not.items())
        )


@dataclass(frozen=True)
class Advice:
    """Something that the script, or the files on disk, need after a conversion."""

    name: str
    text: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    consumer: str | None = None
    when: Mapping[str, tuple[Any, ...]] = dataclass_field(default_factory=dict)


@cache
def transfers() -> tuple[Transfer, ...]:
    """Every row, in the order of the file; raises TableError for one that is not well formed."""
    try:
        return tuple(_transfer(raw) for raw in load_document("transfer")["rows"])
    except (KeyError, TypeError, ValueError) as error:
        raise TableError(f"mappings/transfer.yaml: {type(error).__name__}: {error}") from error


@cache
def advice() -> tuple[Advice, ...]:
    """Every piece of advice, in the order of the file."""
    return tuple(
        Advice(raw["name"], raw["text"], tuple(raw["from"]), tuple(raw["to"]), raw.get("consumer"), _when(raw))
        for raw in load_document("transfer")["advice"]
    )


@cache
def transfer(name: str) -> Transfer:
    """The row of a name; raises TableError when there is none."""
    for row in transfers():
        if row.name == name:
            return row
    raise TableError(f"mappings/transfer.yaml has no row named {name}")


def _when(raw: Mapping[str, Any], name: str = "when") -> dict[str, tuple[Any, ...]]:
    return {path: tuple(map(plan_value, values)) for path, values in raw.get(name, {}).items()}


def _transfer(raw: Mapping[str, Any]) -> Transfer:
    def values(name: str) -> tuple[Any, ...] | None:
        return tuple(map(plan_value, raw[name])) if name in raw else None

    return Transfer(
        code=raw["code"],
        name=raw["name"],
        field=raw["field"],
        fidelity=Fidelity(raw["fidelity"]),
        effect=raw["effect"],
        reason=raw["reason"],
        sources=tuple(raw.get("from", ())),
        targets=tuple(raw.get("to", ())),
        values=values("value"),
        not_values=values("value_not"),
        when=_when(raw),
        when_not=_when(raw, "when_not"),
        consumer=raw.get("consumer"),
        becomes=plan_value(raw["becomes"]) if "becomes" in raw else SAME,
        chosen_by=raw.get("chosen_by"),
        script=raw.get("script", {}),
    )
