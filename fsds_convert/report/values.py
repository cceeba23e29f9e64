"""A value as it is shown to people, and as it stands in JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from fsds_convert.settings.setting import NOT_WRITTEN, Decided
from fsds_convert.settings.show import show


def shown(value: Any) -> str:
    """As YAML and JSON users write it; a decision by its words."""
    if value is NOT_WRITTEN:
        return "-"
    if isinstance(value, dict):
        return json.dumps(plain(value))
    return value.value if isinstance(value, Decided) else show(value)


def shown_key(key: str) -> str:
    """A key as people know it: without the name of its Accelerate section; a DeepSpeed JSON key in full."""
    section, _, name = key.partition(".")
    return name if section.endswith("_config") else key


def shown_field(path: str, value: Any) -> str:
    """The value of a plan field; no clipping is `none`."""
    return "none" if path == "clipping.max_norm" and value is None else shown(value)


def plain(value: Any) -> Any:
    """A value that json.dumps takes and json.loads gives back: infinities and decisions as words."""
    if isinstance(value, Decided):
        return value.value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)
