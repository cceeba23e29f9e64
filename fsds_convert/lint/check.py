"""One file -> what is wrong in it."""

from __future__ import annotations

from dataclasses import dataclass

from fsds_convert.containers import accelerate_file, deepspeed_json
from fsds_convert.containers.detect import detect
from fsds_convert.containers.reading import Reading
from fsds_convert.containers.syntax_findings import syntax_findings
from fsds_convert.diagnostics import Diagnostic, Place, finding
from fsds_convert.errors import InputError
from fsds_convert.rules.find import advice
from fsds_convert.settings.context import Context
from fsds_convert.syntax.source import Source


@dataclass(frozen=True)
class Checked:
    """A file with its findings in the order of the text; `reading` is None where no engine could be told."""

    source: Source
    kind: str
    findings: tuple[Diagnostic, ...]
    reading: Reading | None = None


def check(source: Source, context: Context) -> Checked | None:
    """Everything that is found in a file; None when it is no config."""
    if not isinstance(source.data, dict):
        return Checked(source, "", syntax_findings(source)) if _speaks_of_training(source.text) else None
    try:
        kind = detect(source)
    except InputError:
        return None
    try:
        reading = (accelerate_file if kind == "accelerate" else deepspeed_json).read(source, context)
    except InputError as error:
        return Checked(source, kind, (*syntax_findings(source), _not_covered(source, error)))
    found = (*reading.findings, *advice(reading.facts))
    return Checked(source, kind, tuple(sorted(found, key=lambda each: in_order(each, source.name))), reading)


_WORDS = ("distributed_type", "fsdp_config", "deepspeed_config", "zero_optimization", "compute_environment")


def _speaks_of_training(text: str) -> bool:
    return any(word in text for word in _WORDS)


def _not_covered(source: Source, error: InputError) -> Diagnostic:
    key = next((name for name in ("compute_environment", "distributed_type") if f"`{name}:" in error.message), "")
    place = Place(source.name, source.values.get((key,)))
    return finding("environment-not-covered", error.message.rpartition(": ")[2], place, help=error.hint)


def in_order(found: Diagnostic, name: str) -> tuple[bool, str, int, str]:
    """What findings are sorted by: those in the file itself first, each file's in the order of the text."""
    span = found.place.span
    return found.place.name != name, found.place.name, span.start if span else 0, found.code
