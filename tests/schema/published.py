"""The schemas as they are published."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator

from fsds_convert.schema.check import check
from fsds_convert.syntax.read_file import read_source

FOLDER = Path(__file__).parents[2] / "schemas" / "editor"


@cache
def schema(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))


@cache
def validator(name: str) -> Any:
    return Draft7Validator(schema(name))


def refused(name: str, path: Path) -> list[str]:
    """What the schema says against a file, each with its line and column."""
    found = check(read_source(str(path)), schema(name))
    return [f"{place.span.line}:{place.span.column}: {message}" for place, message in found if place.span]
