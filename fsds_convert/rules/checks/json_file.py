"""The DeepSpeed JSON of a file: itself, or the one that an Accelerate file names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fsds_convert.diagnostics import Place
from fsds_convert.rules.facts import Facts
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Path


def json_of(facts: Facts) -> Source | None:
    """The JSON, None for an inline section and where it was not found."""
    return facts.source if facts.container == "deepspeed-json" else facts.deepspeed_file


def key_place(source: Source, path: Path) -> Place:
    """Where a key stands in a JSON."""
    return Place(source.name, source.keys.get(path))


def holder(source: Source, path: Path) -> Mapping[Any, Any]:
    """The mapping that a key is written in."""
    node: Any = source.data
    for name in path[:-1]:
        node = node.get(name) if isinstance(node, Mapping) else None
    return node if isinstance(node, Mapping) else {}


def items(node: Mapping[Any, Any], at: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every key below a mapping with its path and value; what stands in lists is not asked."""
    for name, value in node.items():
        yield (*at, name), value
        if isinstance(value, Mapping):
            yield from items(value, (*at, name))
