"""Colours of a terminal."""

from __future__ import annotations

from typing import Literal

Style = Literal["error", "warning", "info", "frame", "strong"]

_CODES: dict[Style, str] = {"error": "1;31", "warning": "1;33", "info": "1;36", "frame": "1;34", "strong": "1"}


def painted(text: str, style: Style, colour: bool) -> str:
    """The text in a style, or as it is."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if colour else text
