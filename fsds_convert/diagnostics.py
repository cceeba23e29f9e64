"""What is said about a file: a code, a place, what happens at run time, and what to write instead."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any, Literal

from fsds_convert.errors import TableError
from fsds_convert.syntax.edits import Edit
from fsds_convert.syntax.span import Path, Span
from fsds_convert.tables.load import load_document


class Severity(Enum):
    """`error`: fails, or certainly not what was asked; `warning`: silently different; `info`: worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Place:
    """Where something stands: a file, and a span in it where there is one."""

    name: str
    span: Span | None = None

    def __str__(self) -> str:
        return f"{self.name}:{self.span.line}:{self.span.column}" if self.span else self.name


@dataclass(frozen=True)
class Change:
    """One change to the mapping that a file holds.

    `set` writes `value` at `path`, whether the key is there or not; `remove` takes the key out; `rename` gives it the
    name `value`.
    """

    action: Literal["set", "remove", "rename"]
    path: Path
    value: Any = field(default=None, hash=False)


@dataclass(frozen=True)
class Fix:
    """The mend of a finding, in the file of its place: changes to the mapping, or edits of the text.

    `message` says what is done ("write `fsdp_sharding_strategy`"); `guess` marks a meaning that is only likely.
    """

    message: str
    changes: tuple[Change, ...] = ()
    edits: tuple[Edit, ...] = ()
    guess: bool = False


@dataclass(frozen=True)
class Diagnostic:
    """One finding. `note` is the consequence at run time, `help` the remedy, `fix` the remedy as a change.

    `checked` names the releases that the consequence was checked with.
    """

    code: str
    name: str
    severity: Severity
    message: str
    place: Place
    note: str = ""
    help: str = ""
    fix: Fix | None = None
    checked: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.severity.value}[{self.code}] {self.message}"


@cache
def _kinds() -> dict[str, tuple[str, Severity]]:
    document = load_document("findings")
    return {row["name"]: (row["code"], Severity(row["severity"])) for row in document["rows"]}


def finding(
    name: str, message: str, place: Place, note: str = "", help: str = "", fix: Fix | None = None, checked: str = ""
) -> Diagnostic:
    """A finding of the kind that `mappings/findings.yaml` calls `name`; raises TableError when it has none."""
    if name not in _kinds():
        raise TableError(f"mappings/findings.yaml has no row named {name}")
    code, severity = _kinds()[name]
    return Diagnostic(code, name, severity, message, place, note, help, fix, checked)
