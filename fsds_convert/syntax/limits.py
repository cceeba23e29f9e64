"""How much is read: all that a config needs, and nothing that takes seconds or gigabytes."""

from __future__ import annotations

from fsds_convert.syntax.problem import Refused, SyntaxProblem
from fsds_convert.syntax.span import START, Span

MAX_BYTES = 10_000_000
MAX_DEPTH = 200
MAX_VALUES = 100_000

NOT_READ = "fsds does not read the file"


def check_size(text: str) -> None:
    """Raises Refused for a text that may hold more than MAX_VALUES values, by its commas, brackets and lines."""
    if len(text) > MAX_VALUES and sum(map(text.count, ",[{\n\r")) > MAX_VALUES:
        message = f"more than {MAX_VALUES:,} values or lines"
        remedy = "check that the file is a training config"
        raise Refused(SyntaxProblem("too-large", message, START, NOT_READ, remedy))


def too_deep(span: Span) -> Refused:
    """The refusal of a value that stands deeper than MAX_DEPTH."""
    message = f"values nested more than {MAX_DEPTH} levels deep"
    consequence = f"{NOT_READ}; yaml.safe_load and json.load raise RecursionError from 500 to 1000 levels on"
    return Refused(SyntaxProblem("too-deep", message, span, consequence, "nest fewer values"))
