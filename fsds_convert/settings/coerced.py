"""What upstream makes of a written value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Coerced:
    """`value` runs, `intent` was meant; `refused` is the error that upstream raises, `wanted` what to write.

    `guess` marks an intent that only resembles what is written.
    """

    value: Any
    intent: Any
    refused: str = ""
    wanted: str = ""
    guess: bool = False


def plain(value: Any) -> Coerced:
    """A value that runs as it is written."""
    return Coerced(value, value)


def refused(intent: Any, error: str, wanted: str) -> Coerced:
    """A value that upstream refuses."""
    return Coerced(intent, intent, error, wanted)
