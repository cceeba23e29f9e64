"""A key that stands twice in one mapping."""

from __future__ import annotations

from typing import Any

from fsds_convert.syntax.problem import SyntaxProblem, shown
from fsds_convert.syntax.span import Span


def repeated_key(key: Any, earlier: Span, later: Span, consequence: str) -> SyntaxProblem:
    """The problem stands at the earlier key: the one without effect."""
    name = shown(str(key))
    message = f"key `{name}` is written again on line {later.line}, so this one has no effect"
    return SyntaxProblem("duplicate-key", message, earlier, consequence, f"keep one `{name}`")
