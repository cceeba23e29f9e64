"""The name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable

# `fdsp` for `fsdp`, `fp61` for `fp16`: a swap in a word of four letters has a ratio of 0.75
_LIKENESS = 0.7
_SURE = 0.9


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate nearest to `word`, whatever its case, dashes and underscores; None when none is near."""
    plain = {_plain(name): name for name in sorted(candidates, reverse=True)}
    exact = plain.get(_plain(word))
    if exact is not None or not plain:
        return exact
    # difflib costs 18 ms to import, and most runs have no wrong name
    from difflib import get_close_matches

    near = get_close_matches(_plain(word), plain, n=1, cutoff=_LIKENESS)
    return plain[near[0]] if near else None


def surely(word: str, near: str) -> bool:
    """Whether `word` is hardly anything else than `near` misspelt: nine letters of ten are the same."""
    return likeness(word, near) >= _SURE


def likeness(word: str, near: str) -> float:
    """From 0 to 1: the share of letters that stand in the same order in both."""
    from difflib import SequenceMatcher

    return SequenceMatcher(None, _plain(word), _plain(near)).ratio()


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")
