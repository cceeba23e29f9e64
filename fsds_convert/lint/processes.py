"""Many files on several cores, where the system can fork: the same results in the same order."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

# a process costs about 30 ms to start, and a file takes less than one
_WORTH_IT = 250
_AT_FIRST = 10
_MAX_PROCESSES = 4
_work: Callable[[Sequence[str]], object] | None = None


def in_parts(paths: Sequence[str], work: Callable[[Sequence[str]], T]) -> list[T]:
    """What `work` gives for each of some parts of the list, in order; one part where there are few files or cores."""
    global _work
    processes = min(_MAX_PROCESSES, os.cpu_count() or 1)
    if len(paths) < _WORTH_IT or processes < 2 or not hasattr(os, "fork"):
        return [work(paths)]
    from multiprocessing import get_context

    first = work(paths[:_AT_FIRST])  # reads the tables, once for all processes
    size = -(-len(paths) // (processes * 4))
    parts = [paths[start : start + size] for start in range(_AT_FIRST, len(paths), size)]
    _work = work  # the children find it in the memory that they are forked with
    try:
        with get_context("fork").Pool(processes) as pool:
            return [first, *pool.map(_call, parts, chunksize=1)]
    finally:
        _work = None


def _call(part: Sequence[str]) -> T:  # type: ignore[type-var]  # the type is that of the work in hand
    assert _work is not None
    return _work(part)  # type: ignore[return-value]
