"""What is said about a file: a code, a place, what happens at run time, and what to write instead."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache

from fsds_convert.errors import TableError
from fsds_convert.syntax.span import Span
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
class Diagnostic:
    """One finding. `note` is the consequence at run time, `help` the remedy."""

    code: str
    name: str
    severity: Severity
    message: str
    place: Place
    note: str = ""
    help: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.severity.value}[{self.code}] {self.message}"


@cache
def _kinds() -> dict[str, tuple[str, Severity]]:
    document = load_document("findings")
    return {row["name"]: (row["code"], Severity(row["severity"])) for row in document["rows"]}


def finding(name: str, message: str, place: Place, note: str = "", help: str = "") -> Diagnostic:
    """A finding of the kind that `mappings/findings.yaml` calls `name`; raises TableError when it has none."""
    if name not in _kinds():
        raise TableError(f"mappings/findings.yaml has no row named {name}")
    code, severity = _kinds()[name]
    return Diagnostic(code, name, severity, message, place, note, help)
