"""A config is a mapping."""

from __future__ import annotations

from typing import Any

from fsds_convert.syntax.problem import SyntaxProblem
from fsds_convert.syntax.span import START, Span


def not_a_mapping(data: Any, at: Span) -> list[SyntaxProblem]:
    """The problem of a list or a single value at the top."""
    if isinstance(data, dict):
        return []
    found = "a list" if isinstance(data, list) else "a single value"
    message = f"{found} at the top, where a mapping must stand"
    remedy = "write one `key: value` a line, a space after each `:`"
    return [SyntaxProblem("not-a-mapping", message, at, _raises(data), remedy)]


def no_value() -> SyntaxProblem:
    """The problem of a YAML file that is empty, or holds comments only."""
    remedy = "write one `key: value` a line"
    return SyntaxProblem("empty", "no value in the file", START, _raises(None), remedy)


def _raises(data: Any) -> str:
    return f"Accelerate raises AttributeError: '{type(data).__name__}' object has no attribute 'get'"
