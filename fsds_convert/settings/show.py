"""A value as YAML and JSON users write it."""

from __future__ import annotations

from typing import Any


def show(value: Any) -> str:
    """`null`, `true`, `A,B`, `3`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (tuple, list)):
        return ",".join(show(item) for item in value)
    text = str(value)
    return text if text.isprintable() else text.encode("unicode_escape").decode()
