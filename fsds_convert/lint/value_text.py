"""A new key or value as it is written, in the manner of the one that it replaces."""

from __future__ import annotations

import json
from typing import Any

from fsds_convert.containers.scalar_text import scalar_text


def value_text(value: Any, old: str, format: str) -> str:
    """One line for a value; a text in quotes keeps their kind."""
    if format == "json":
        return json.dumps(value, ensure_ascii=False)
    text = scalar_text(value)
    if isinstance(value, str) and old.startswith('"') and '"' not in value and "\\" not in value:
        return f'"{value}"'
    if isinstance(value, str) and old.startswith("'") and "'" not in value:
        return f"'{value}'"
    return text


def key_text(name: str, old: str, format: str) -> str:
    """A key with the quotes of the old one."""
    if format == "json" or old.startswith('"'):
        return json.dumps(name, ensure_ascii=False)
    return f"'{name}'" if old.startswith("'") else scalar_text(name)
