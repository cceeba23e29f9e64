"""What a check answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fsds_convert.diagnostics import Change, Place
from fsds_convert.rules.facts import Facts


@dataclass(frozen=True)
class Match:
    """One time that a rule speaks: `words` fill the texts of the row, `place` and `changes` stand in for its own."""

    words: Mapping[str, Any] = field(default_factory=dict)
    place: Place | None = None
    changes: tuple[Change, ...] = ()


Check = Callable[[Facts], Iterator[Match]]
