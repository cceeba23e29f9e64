"""A value with its origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Generic, TypeVar

from fsds_convert.diagnostics import Place
from fsds_convert.syntax.span import Path

T = TypeVar("T")
U = TypeVar("U")


class Decided(Enum):
    """Who decides a setting that the config file does not hold."""

    BY_ENGINE = "by the engine"
    BY_SCRIPT = "by the script"
    BY_COMMAND_LINE = "on the command line"
    AS_LOADED = "as the model is loaded"

    def __repr__(self) -> str:
        return self.value


class _NotWritten:
    def __repr__(self) -> str:
        return "not written"


NOT_WRITTEN: Any = _NotWritten()


@dataclass(frozen=True)
class Origin:
    """Where a value comes from: a place in a file and the path that leads to it, or `default` (which one)."""

    place: Place | None = None
    default: str = ""
    path: Path = ()

    def __str__(self) -> str:
        return str(self.place) if self.place else self.default


@dataclass(frozen=True)
class Setting(Generic[T]):
    """What runs (`value`), what the file asks for (`intent`, the same unless `note` says why not), and its origin.

    `key` is the dialect's key, `written` the value as the upstream loader parsed it. `idle` marks a written value
    that never was in force where it stands: a conversion carries what runs instead. `doubtful` marks one that upstream
    refuses and whose meaning is only a guess.
    """

    value: T
    intent: T
    key: str = ""
    written: Any = NOT_WRITTEN
    origin: Origin = Origin()
    note: str = ""
    idle: bool = False
    doubtful: bool = False

    @property
    def is_written(self) -> bool:
        """Whether the file holds the key."""
        return self.written is not NOT_WRITTEN

    @property
    def differs(self) -> bool:
        """Whether something else runs than the file asks for."""
        return not same(self.value, self.intent)

    def lift(self, value: U, intent: U, note: str = "") -> Setting[U]:
        """The same key and origin with another meaning of the value."""
        return Setting(value, intent, self.key, self.written, self.origin, note or self.note, self.idle, self.doubtful)

    def intended(self) -> Setting[T]:
        """The setting as if the file did what it asks for."""
        return self if self.idle else replace(self, value=self.intent)


Settings = Mapping[str, Setting[Any]]


def same(left: Any, right: Any) -> bool:
    """Equality that keeps True apart from 1 and 1.0 (YAML `true` and `1` are different writings)."""
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def default(value: T, by: str, key: str = "", note: str = "") -> Setting[T]:
    """A setting that nobody wrote."""
    return Setting(value, value, key, origin=Origin(default=by), note=note)
