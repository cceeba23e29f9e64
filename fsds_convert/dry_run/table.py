"""`mappings/dry-run.yaml` as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from fsds_convert.containers.reading import Reading
from fsds_convert.errors import TableError
from fsds_convert.settings.setting import NOT_WRITTEN, Decided, Setting
from fsds_convert.tables.load import load_document


@dataclass(frozen=True)
class Need:
    """What a training lacks on a machine, and what is put in its place."""

    name: str
    why: str
    flags: Mapping[str, str] = field(default_factory=dict, hash=False)
    deepspeed: Mapping[str, Any] = field(default_factory=dict, hash=False)
    patch: str = ""
    quiet: bool = False
    untested: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tolerance:
    """How near two trainings have to come; `loss` None: their losses are not comparable."""

    loss: float | None
    norm: float
    steps: int
    why: str


@dataclass(frozen=True)
class StageRule:
    """Whether a stage has to be the same on both sides; `why` it need not."""

    same: bool
    why: str


@dataclass(frozen=True)
class Scenario:
    """A variation of the training; `job` is what it changes."""

    name: str
    about: str
    job: Mapping[str, Any] = field(default_factory=dict, hash=False)


def needs_of(reading: Reading, device: str, scenario: str = "") -> tuple[Need, ...]:
    """What the file needs on a device."""
    rows = (row for row in _document()["needs"] if row.get("scenario", scenario) == scenario)
    return tuple(
        Need(
            row["name"],
            row["why"],
            row.get("flags", {}),
            row.get("deepspeed", {}),
            row.get("patch", ""),
            row.get("quiet", False),
            tuple(row.get("untested", ())),
        )
        for row in rows
        if _holds(row, reading, device)
    )


def impossible(reading: Reading, device: str) -> Iterator[str]:
    """Why the file cannot be run on a device."""
    return (row["why"] for row in _document()["impossible"] if _holds(row, reading, device))


def tolerance_of(facts: Mapping[str, Any]) -> Tolerance:
    """The first tolerance whose condition holds; raises TableError when none does."""
    for row in _document()["tolerances"]:
        if all(facts.get(name) in values for name, values in row["when"].items()):
            return Tolerance(row["loss"], row["norm"], row["steps"], row["why"])
    raise TableError("mappings/dry-run.yaml: no tolerance holds")


@cache
def stage_rules() -> Mapping[str, StageRule]:
    """The rule of each stage."""
    return {name: StageRule(row["same"], row["why"]) for name, row in _document()["stages"].items()}


@cache
def scenarios() -> tuple[Scenario, ...]:
    """All scenarios; the first is the config as it is."""
    return tuple(Scenario(row["name"], row["about"], row["job"]) for row in _document()["scenarios"])


def _document() -> Any:
    return load_document("dry-run")


def _holds(row: Mapping[str, Any], reading: Reading, device: str) -> bool:
    engines = row.get("engines")
    return (
        row["device"] in (device, "any")
        and (engines is None or reading.engine in engines)
        and all(_value(reading, name) in values for name, values in row.get("when", {}).items())
        and all(_value(reading, name) not in values for name, values in row.get("not", {}).items())
        and all(_written(reading, name) not in values for name, values in row.get("unless_written", {}).items())
    )


def _setting(reading: Reading, name: str) -> Setting[Any] | None:
    """A plan field or an effective setting."""
    return dict(reading.runs.items()).get(name) or reading.settings.get(name)


def _written(reading: Reading, name: str) -> Any:
    setting = _setting(reading, name)
    return setting.written if setting is not None else NOT_WRITTEN


def _value(reading: Reading, name: str) -> Any:
    """What runs; what the script or the engine decides is `by_script`."""
    setting = _setting(reading, name)
    if setting is None:
        return None
    return "by_script" if isinstance(setting.value, Decided) else setting.value
