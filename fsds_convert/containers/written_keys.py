"""Keys by their place in a file: what a conversion writes into an Accelerate file or a DeepSpeed JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class AccelerateKeys:
    """The keys of an Accelerate file: at the top level, and in each section by the name written there."""

    top: Mapping[str, Any] = field(default_factory=dict)
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted keys -> nested mappings: {"zero_optimization.stage": 3} -> {"zero_optimization": {"stage": 3}}."""
    root: dict[str, Any] = {}
    for key, value in values.items():
        *sections, name = key.split(".")
        node = root
        for section in sections:
            node = node.setdefault(section, {})
        node[name] = list(value) if isinstance(value, tuple) else value
    return root
