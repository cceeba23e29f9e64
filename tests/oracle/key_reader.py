"""Which names a class reads out of the dict it is given, found by watching it read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .environment import notices

_SEEDS: tuple[dict[str, Any], ...] = (
    {"train_batch_size": 1},
    {"train_batch_size": 1, "zero_optimization": True},  # the old form reads allgather_size
)
_OPENED: tuple[dict[str, Any], ...] = (
    {},
    {"enabled": True},
    {"type": "Adam"},
    {"type": "Adam", "params": {}},
)
_DEPTH = 5


class _Watched(dict[str, Any]):
    """Notes every name asked for, present or not."""

    def __init__(self, values: dict[str, Any], path: str, seen: set[str]) -> None:
        super().__init__()
        self.path, self.seen = path, seen
        for name, value in values.items():
            inner = _Watched(value, f"{path}{name}.", seen) if isinstance(value, dict) else value
            super().__setitem__(name, inner)

    def _note(self, name: object) -> None:
        self.seen.add(f"{self.path}{name}")

    def __contains__(self, name: object) -> bool:
        self._note(name)
        return super().__contains__(name)

    def __getitem__(self, name: str) -> Any:
        self._note(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """As dict.get, noted."""
        self._note(name)
        return super().get(name, default)

    def keys(self) -> Any:
        """Itself: membership in the view is a question too."""
        return self

    def __copy__(self) -> _Watched:
        return _Watched(dict(self.items()), self.path, self.seen)


def read_names(reader: Callable[[dict[str, Any]], object]) -> set[str]:
    """Dotted names `reader` asks for, sections being opened as they show up."""
    known: set[str] = set()
    for seed in _SEEDS:
        known |= _asked(reader, seed)
    opened: set[str] = set()
    for _ in range(_DEPTH):
        for name in sorted(known - opened):
            opened.add(name)
            for content in _OPENED:
                known |= {found for found in _asked(reader, _nested(name, content)) if found.startswith(name)}
    return known


def _nested(dotted: str, content: dict[str, Any]) -> dict[str, Any]:
    value: dict[str, Any] = content
    for name in reversed(dotted.split(".")):
        value = {name: value} if name not in ("params",) else {name: value, "type": "Adam"}
    return {"train_batch_size": 1, **value}


def _asked(reader: Callable[[dict[str, Any]], object], values: dict[str, Any]) -> set[str]:
    seen: set[str] = set()
    try:
        with notices():
            reader(_Watched(values, "", seen))
    except Exception:  # a section of the wrong kind: what was asked before counts
        pass
    return seen
