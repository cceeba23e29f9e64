"""The bytes that a rank holds of a model in training: evaluates `mappings/memory.yaml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from fsds_convert.containers.reading import Reading
from fsds_convert.engines.stages import Asked
from fsds_convert.errors import FsdsError, TableError
from fsds_convert.precision.parameters import ModelSize
from fsds_convert.precision.rows import question_of
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided
from fsds_convert.tables.load import condition, load_document
from fsds_convert.tables.row import Condition

KINDS = ("parameters", "gradients", "optimizer", "transient")
PLACES = ("device", "host", "nvme")
_PLACES = {"none": "device", "cpu": "host", "nvme": "nvme"}
_BYTES = {"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 2, Decided.BY_COMMAND_LINE.value: 2}


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    of: str
    condition: Condition
    bytes: int | str
    times: int
    count: str
    at_most: str
    over: str
    at: str
    what: str
    source: str


@dataclass(frozen=True)
class Part:
    """Something that a rank holds. `size` is None where it hangs on the model's layers and these are not known."""

    of: str
    at: str
    size: int | None
    what: str
    source: str


@dataclass(frozen=True)
class Memory:
    """All parts of a rank."""

    parts: tuple[Part, ...]

    def size(self, at: str, *kinds: str) -> int:
        """The bytes of these kinds in a place."""
        return sum(part.size or 0 for part in self.parts if part.at == at and part.of in kinds)

    @property
    def not_counted(self) -> tuple[str, ...]:
        """What is missing in the sums."""
        return tuple(dict.fromkeys(part.what for part in self.parts if part.size is None))


def memory_of(reading: Reading, context: Context, model: ModelSize, steps: int | None = None) -> Memory:
    """What each rank holds; raises FsdsError when processes or dtype are not known.

    `steps` is how many micro steps the script accumulates, where the file does not say it.
    """
    question = question_of(reading, context)
    facts = {**question.facts, **_more(reading, question, steps)}
    groups = _groups(reading)
    return Memory(tuple(_parts(question, facts, groups, model)))


def _groups(reading: Reading) -> dict[str, int]:
    """How many ranks share one copy."""
    plan = reading.runs
    processes = plan.topology.num_processes.value
    if isinstance(processes, bool) or not isinstance(processes, int):
        raise FsdsError(f"{reading.source.name} does not say how many processes run", "give --num-processes")
    replicated = plan.sharding.strategy.value == "replicate"
    shard = 1 if replicated else max(1, processes // _degree(plan.sharding.replicas.value))
    return {"none": 1, "shard": shard, "secondary": _degree(plan.sharding.secondary_shard_degree.value)}


def _degree(value: Any) -> int:
    """1 for what is no number either: upstream refuses it."""
    return max(1, value) if isinstance(value, int) else 1


def _more(reading: Reading, question: Asked, steps: int | None) -> dict[str, Any]:
    plan = reading.runs
    said = plan.accumulation.steps.value
    steps = said if isinstance(said, int) else steps
    gradients = "host" if plan.offload.optimizer.value != "none" else "device"
    return {
        "accumulates": steps is not None and steps > 1,
        "separate_gradients": question.value("accumulation") != question.value("master_weights"),
        "casts": question.value("prepared") != question.value("compute"),
        "sharded": _groups(reading)["shard"] > 1,
        "hpz": _groups(reading)["secondary"] > 1,
        "offload.gradients": gradients,
    }


def _parts(question: Asked, facts: Mapping[str, Any], groups: Mapping[str, int], model: ModelSize) -> Iterator[Part]:
    for row in rows():
        if not row.condition.holds(question.engine, question.versions, facts):
            continue
        at = facts.get(row.at, row.at)
        count = _count(row, facts, groups, model)
        size = None if count is None else count * _width(row, question) * row.times // groups[row.over]
        yield Part(row.of, _PLACES.get(at, at), size, row.what, row.source)


def _count(row: Row, facts: Mapping[str, Any], groups: Mapping[str, int], model: ModelSize) -> int | None:
    """Elements, of the model or of a buffer."""
    if row.count == "parameters":
        return model.parameters
    count = model.layer if row.count == "unit" else facts.get(row.count)
    if count == "auto":  # what Accelerate takes for it (accelerate/accelerator.py:2303)
        count = model.hidden * model.hidden if model.hidden else None
    if not isinstance(count, int):
        return None
    limits = {"parameters": model.parameters, "partition": model.parameters // groups["shard"], "": count}
    return min(count, limits[row.at_most])


def _width(row: Row, question: Asked) -> int:
    """Bytes of an element; the widest where there are several dtypes."""
    if isinstance(row.bytes, int):
        return row.bytes
    value = question.value(row.bytes)
    words = (value.value if isinstance(value, Decided) else str(value)).split(" and ")
    if value is Decided.AS_LOADED or not set(words) <= set(_BYTES):
        raise FsdsError("the dtype that the model is loaded in decides how much memory it takes", "give --model-dtype")
    return max(_BYTES[word] for word in words)


@cache
def rows() -> tuple[Row, ...]:
    """Every row of the table; raises TableError for one that is not well formed."""
    try:
        return tuple(
            Row(
                raw["of"],
                condition(raw),
                raw["bytes"],
                raw.get("times", 1),
                raw.get("count", "parameters"),
                raw.get("at_most", ""),
                *(raw["over"], raw["at"], raw["what"], raw["source"]),
            )
            for raw in load_document("memory")["parts"]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise TableError(f"mappings/memory.yaml: {type(error).__name__}: {error}") from error
