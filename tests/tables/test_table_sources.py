"""`source` of every row: the file is in the installed package, and the line is about the key."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fsds_convert.tables.load import load_document, load_table
from fsds_convert.tables.row import Row

from .test_tables_valid import ROWS, row_id

_NEAR = 3  # lines


@cache
def lines(path: str) -> list[str]:
    """The lines of an upstream file; [] when the package has no such file."""
    package, _, below = path.partition("/")
    if (found := importlib.util.find_spec(package)) is None or found.origin is None:
        pytest.skip(f"{package} is not installed")
    file = Path(found.origin).parent / below
    return file.read_text(encoding="utf-8").splitlines() if file.is_file() else []


def near(source: str) -> str:
    """The text around a line."""
    path, _, number = source.rpartition(":")
    line = int(number)
    assert line <= len(lines(path)), f"{source}: no such line"
    return "\n".join(lines(path)[max(0, line - 1 - _NEAR) : line + _NEAR])


def names(row: Row) -> Iterator[str]:
    """What upstream may call the key: its own name, the variable, the attribute, the key that it becomes."""
    prefix = load_table(row.table).prefix
    yield from (row.name, row.name.removeprefix(prefix), row.name.upper())
    others = (row.env, row.plugin, row.json, row.replaced_by)
    yield from (other.rpartition(".")[2] for other in others if other)


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_row_stands_in_its_source(row: Row) -> None:
    text = near(row.source)
    if row.removed is None:  # a key that is gone is mentioned nowhere; its source says what refuses or ignores it
        assert any(name in text for name in names(row)), f"{row.source} does not mention {row.key}"


FACTS = [
    (engine, path, fact)
    for engine, facts in load_document("engines")["engines"].items()
    for path, fact in facts.items()
    if "source" in fact
]


@pytest.mark.parametrize(("engine", "path", "fact"), FACTS, ids=[f"{engine}:{path}" for engine, path, _ in FACTS])
def test_fact_stands_in_its_source(engine: str, path: str, fact: dict[str, Any]) -> None:
    assert fact["mentions"] in near(fact["source"])
