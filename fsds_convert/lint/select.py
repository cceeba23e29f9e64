"""Which rules are asked for: by code, the beginning of a code, or name."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from fsds_convert.diagnostics import Diagnostic, Severity
from fsds_convert.errors import UnknownName
from fsds_convert.rules.catalog import catalog
from fsds_convert.syntax.closest import closest

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@cache
def _by_name() -> dict[str, str]:
    return {rule.name: code for code, rule in catalog().items()}


def code_named(word: str) -> str:
    """The code of a rule given by code or by name; the word itself when there is none."""
    return _by_name().get(word, word)


def nearest_rule(word: str) -> str | None:
    """The rule that a wrong word probably means: another letter in a code, or a name that is alike."""
    if word.upper().startswith("FSD") and word.upper() not in catalog():
        pairs = ((code, zip(code, word.upper(), strict=True)) for code in catalog() if len(code) == len(word))
        return next((code for code, letters in pairs if sum(one != other for one, other in letters) == 1), None)
    return closest(word, [*catalog(), *_by_name()])


@dataclass(frozen=True)
class Selection:
    """`select` and `ignore` hold codes, beginnings of codes, and names of rules; the longer one wins, `ignore` where
    they are the same.

    `severity` is the lowest that is shown; a rule of a lower one is shown when it is selected by its code or name.
    `per_file_ignores` leads from a pattern of names to what is ignored there.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Severity = Severity.WARNING
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises UnknownName for a word that is no rule."""
        for word in (*self.select, *self.ignore, *(word for words in self.per_file_ignores.values() for word in words)):
            if word != "ALL" and not any(code.startswith(code_named(word)) for code in catalog()):
                families = sorted({code[:5] for code in catalog()})
                raise UnknownName("rule", word, nearest_rule(word), families)

    def shows(self, found: Diagnostic, name: str) -> bool:
        """Whether a finding in the file `name` is shown."""
        chosen, ignored = _longest(self.select, found.code), _longest(self._ignored(name), found.code)
        if ignored >= max(chosen, 0):
            return False
        if self.select and chosen < 0:
            return False
        return _RANK[found.severity] <= _RANK[self.severity] or chosen == len(found.code)

    def _ignored(self, name: str) -> tuple[str, ...]:
        here = [words for pattern, words in self.per_file_ignores.items() if matches(name, pattern)]
        return (*self.ignore, *(word for words in here for word in words))


def _longest(words: Iterable[str], code: str) -> int:
    """The length of the longest word that a code begins with; 0 for ALL, -1 when there is none."""
    lengths = [0 if word == "ALL" else len(code_named(word)) for word in words if _begins(code, word)]
    return max(lengths, default=-1)


def _begins(code: str, word: str) -> bool:
    return word == "ALL" or code.startswith(code_named(word))


def matches(name: str, pattern: str) -> bool:
    """Whether a path, with `/` between its parts, one of its parts, or a folder that it is in fits a pattern."""
    inside = os.path.relpath(name) if os.path.isabs(name) else os.path.normpath(name)
    plain = (name if inside.startswith(os.pardir) else inside).replace("\\", "/").removeprefix("./")
    parts, wanted = plain.split("/"), pattern.removeprefix("./").rstrip("/")
    above = ("/".join(parts[: i + 1]) for i in range(len(parts)))
    return any(fnmatch.fnmatch(text, wanted) for text in (*parts, *above))
