"""What people write for a key: every spelling that its row knows, and some of the wrong kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsds_convert.tables.row import Row

_TRUTHS: tuple[Any, ...] = (
    *(True, False, "true", "True", "FALSE", "yes", "NO", "on", "Off", "y", "n", "t", "f", "1", "0", 1, 0),
)
# by type: values that upstream takes, and values that it refuses, or takes for something else
_LEGAL: dict[str, tuple[Any, ...]] = {
    "truth": _TRUTHS,
    "true-only": (True, False, "true", "True", "TRUE", "false"),
    "env-int": (1, 2, "2", 0),
    "env-float": (0.5, 2, "0.5", "1e-3", 0, float("inf")),
    "env-text": ("some.*text",),
    "class-names": ("Block", "Block,Layer"),
    "class-list": ("Block", "Block,Layer", ["Block"], ["Block", "Layer"]),
    "flag": (True, False),
    "int": (1, 2, 8),
    "float": (0.5, 1, 0.25, 0),
    "text": ("sdpa", "words"),
    "path": ("folder/file",),
    "pydantic-bool": (True, False, "true", "off", 1, 0, 1.0),
    "pydantic-int": (1, 2, "2", 2.0, 1e8),
    "pydantic-float": (0.5, 1, "0.5"),
    "list": (["a.b"], []),
    "mapping": ({"lr": 0.5}, {}),
    "raw": ("words", 2),
    "section": ({},),
    "dead": (True, "words", 3),
    "choice": (),
    "process-count": (8, "8", "gpu"),
    "attention": ("kernels-community/flash-attn2",),
    "bool": (True, False, 1, 0),
    "truth-list": ([True, False, "yes"], [False, False, False, True]),
    "refused": (True, "words"),
}
_WRONG: dict[str, tuple[Any, ...]] = {
    "truth": ("maybe", "", 2, 1.0, None, []),
    "true-only": ("yes", 1, "1", "maybe", None),
    "env-int": ("two", 1.5, 2.0, "2.0", 1e8, True, None, "auto", [1]),
    "env-float": ("much", True, None, [0.5]),
    "env-text": (7, True, None),
    "class-list": ("Block, Layer", ["Block", " Layer"], "Block,", 7),
    "class-names": ("Block, Layer", ["Block"], "Block,", "", 7, None),
    "flag": ("true", "false", 1, 0, "", None),
    "int": ("2", "two", 1.5, 2.0, True, None, [1]),
    "float": ("0.5", "much", True, None, [0.5]),
    "text": (7, True, None),
    "path": (7, None),
    "pydantic-bool": ("maybe", "", 2, None, []),
    "pydantic-int": (1.5, "2.5", "two", "1e8", None, [1], True, -1, 0),
    "pydantic-float": ("much", None, [0.5], True, -0.5),
    "list": ("a.b", 3, None, {}),
    "mapping": ("words", 3, None, []),
    "raw": (None, True, [1]),
    "section": ("words", 3, None, []),
    "dead": (),
    "choice": ("nonsense", 97, 1.5, True, None, ["nonsense"]),
    "process-count": ("two", 0, 1.5, True, [8]),
    "attention": ("eager", "words", 7, None),
    "bool": ("true", "false", "maybe", 2, None),
    "truth-list": ([], [True], 3, ["a", "b", "c"], "words", True, None),
    "refused": (),
}
AUTO = "auto"


def spelled(row: Row) -> Iterator[Any]:
    """Every spelling of `values` and `aliases`, in the cases that the row accepts, and values of its type."""
    yield from _once(_spelled(row))


def wrong(row: Row) -> Iterator[Any]:
    """Values of another type, words with a typing error, and null."""
    yield from _once(_wrong(row))


def _spelled(row: Row) -> Iterator[Any]:
    for spelling in row.values:
        yield from _written(spelling)
        if row.case == "any" and isinstance(spelling, str):
            yield from (spelling.lower(), spelling.upper(), spelling.capitalize())
    for alias in row.aliases:
        if alias in ("True", "False"):
            yield alias == "True"  # aliases are compared as text
            continue
        yield alias
        if alias.lstrip("-").isdigit():
            yield int(alias)
        if row.case == "any":
            yield alias.lower()
    if row.type == "list" and row.values:
        yield from ([spelling] for spelling in row.values)
    yield from () if row.type == "list" and row.values else _LEGAL[row.type]
    if row.auto:
        yield AUTO


def _written(spelling: Any) -> Iterator[Any]:
    yield spelling
    if isinstance(spelling, int) and not isinstance(spelling, bool):
        yield str(spelling)


def _wrong(row: Row) -> Iterator[Any]:
    for spelling in list(row.values)[:2]:
        if isinstance(spelling, str):
            yield from (f"{spelling}S", f" {spelling}")
            if row.case == "exact":
                yield from (spelling.upper(), spelling.lower())
    yield from _WRONG[row.type]
    if not row.auto:
        yield AUTO


def _once(values: Iterator[Any]) -> Iterator[Any]:
    """Each value once; True is another value than 1."""
    seen = set()
    for value in values:
        mark = (type(value), repr(value))
        if mark not in seen:
            seen.add(mark)
            yield value
