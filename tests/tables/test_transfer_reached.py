"""No row of transfer.yaml stands there in vain: some plan, or some conversion of a file, takes it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

from fsds_convert.containers import accelerate_file, deepspeed_json
from fsds_convert.containers.reading import Reading
from fsds_convert.convert.convert import convert
from fsds_convert.convert.target import TARGETS
from fsds_convert.engines.fields import ENGINES, Engine
from fsds_convert.plan.training_plan import FIELDS
from fsds_convert.settings.context import Consumer, Context
from fsds_convert.syntax.read_file import read_source
from fsds_convert.transfer.adapt import adapt
from fsds_convert.transfer.options import Options, PrecisionMode
from fsds_convert.transfer.rows import Transfer, transfers

from . import files
from .plan_values import words
from .source_plans import readings

Values = dict[str, list[Any]]  # plan field, or key without one: what the files of an engine give for it
CONSUMERS: tuple[Consumer, ...] = ("accelerate", "trainer")
CONTEXTS = (Context(), Context(consumer="trainer"), Context(model_dtype="bf16"), Context(model_dtype="fp32"))
OPTIONS = (
    Options(),
    Options(max_grad_norm=1.0),
    Options(gradient_accumulation_steps=4),
    Options(layer_classes=("Block",)),
)
# files for the rows that no single key reaches: an engine, its keys, and those of a DeepSpeed JSON beside it
FILES: list[tuple[str, files.Keys, files.Keys | None]] = [
    (
        "fsdp1",
        {"fsdp_config.fsdp_sharding_strategy": "HYBRID_SHARD", "num_machines": 2, "num_processes": "gpu"},
        None,
    ),
    ("fsdp1", {"fsdp_config.fsdp_sharding_strategy": "FULL_SHRAD"}, None),
    ("deepspeed", {"dynamo_config.dynamo_backend": "INDUCTOR"}, None),
    ("fsdp1", {"mixed_precision": "fp8", "dynamo_config.dynamo_backend": "INDUCTOR"}, None),
    (
        "deepspeed",
        {"num_machines": 2},
        {"zero_optimization.stage": 3, "zero_optimization.zero_hpz_partition_size": 4},
    ),
    (
        "deepspeed",
        {
            "num_machines": 2,
            "main_process_ip": "10.0.0.1",
            "parallelism_config.parallelism_config_sp_size": 2,
            "parallelism_config.parallelism_config_dp_shard_size": 4,
        },
        None,
    ),
]
MODES: tuple[PrecisionMode | None, ...] = (None, "mixed-precision")
# the JSON alone
JSON_FILES: list[files.Keys] = [{"bf16.enabled": "auto", "train_batch_size": 7}, {"bf16.enabled": True}]
# dtypes of the plan that no engine has there: they are legal only because one Literal serves the whole group
NOWHERE = {
    ("precision.master_weights", "fp8"),
    ("precision.optimizer_states", "fp8"),
    ("precision.optimizer_states", "fp16"),
    ("precision.reduce", "fp8"),
    ("precision.accumulate", "fp8"),
    ("precision.autocast", "fp8"),
}


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[Engine, list[Reading]]:
    folder = tmp_path_factory.mktemp("sources")
    return {engine: list(readings(engine, folder, Context())) for engine in ENGINES}


@pytest.fixture(scope="module")
def held(read: dict[Engine, list[Reading]]) -> dict[Engine, Values]:
    """Every value that a file of each engine gives."""
    found: dict[Engine, Values] = {}
    for engine, sources in read.items():
        values = found.setdefault(engine, {})
        for reading in sources:
            for key, setting in (*reading.runs.items(), *reading.runs.engine_only.items()):
                if setting.value not in (seen := values.setdefault(key, [])):
                    seen.append(setting.value)
    return found


def test_every_word_of_the_plan_is_held(held: dict[Engine, Values]) -> None:
    """Each member of an enumeration has a spelling in some engine's tables."""
    legal = {(path, word) for path in FIELDS for word in words(path)}
    found = {(path, word) for path, word in legal if any(word in values[path] for values in held.values())}
    assert legal - found == NOWHERE


def test_every_row_is_reached(read: dict[Engine, list[Reading]], held: dict[Engine, Values], tmp_path: Path) -> None:
    reached = {*matched(held), *noted(read), *converted(tmp_path)}
    assert [row.name for row in transfers() if row.name not in reached] == []


def matched(held: dict[Engine, Values]) -> Iterator[str]:
    """The first row that matches, over all values of a field and of the fields that its rows look at."""
    for field in dict.fromkeys(row.field for row in transfers()):
        rows = [row for row in transfers() if row.field == field]
        beside = sorted({key for row in rows for key in (*row.when, *row.when_not)})
        for (source, target), consumer in product(permutations(ENGINES, 2), CONSUMERS):
            for combination in product(held[source][field], *(held[source].get(key, [None]) for key in beside)):
                values = dict(zip((field, *beside), combination, strict=True))
                yield from _first(rows, source, target, consumer, values)


def _first(rows: list[Transfer], source: str, target: str, consumer: str, values: dict[str, Any]) -> Iterator[str]:
    row = next((row for row in rows if row.matches(source, target, consumer, values)), None)
    if row is not None:
        yield row.name


def noted(read: dict[Engine, list[Reading]]) -> Iterator[str]:
    """The rows that functions choose by name, from every file to every engine."""
    for source, target in permutations(ENGINES, 2):
        for number, reading in enumerate(read[source]):
            for context, options in product(CONTEXTS, OPTIONS if number == 0 else OPTIONS[:1]):
                yield from (note.name for note in adapt(reading.runs, source, target, context, options).notes)


def converted(folder: Path) -> Iterator[str]:
    """The rows that depend on the container, or on several keys."""
    for engine, keys, json_keys in FILES:
        path = files.write_json(folder, json_keys, keys) if json_keys else files.write(folder, engine, keys)
        yield from _conversions(accelerate_file.read(read_source(str(path)), Context()), Context())
    for keys in JSON_FILES:
        files.write_json(folder, keys)
        for context in (Context(), Context(num_processes=8)):
            yield from _conversions(deepspeed_json.read(read_source(str(folder / files.JSON_NAME)), context), context)


def _conversions(reading: Reading, context: Context) -> Iterator[str]:
    for target, mode in product(TARGETS.values(), MODES):
        done = convert(reading, target, context, Options(allow_lossy=True, precision_mode=mode), "ds.json")
        yield from (note.name for note in done.adapted.notes)
