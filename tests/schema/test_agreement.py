"""A schema takes a value if and only if the tables do: every key alone, with every spelling and with wrong values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from fsds_convert.containers import accelerate_file, deepspeed_json, trainer_fsdp
from fsds_convert.engines.modules import MODULES
from fsds_convert.errors import InputError
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Row
from tests.tables import files
from tests.tables.contexts import in_force
from tests.tables.spellings import spelled, wrong

from .published import validator

# what reading a file finds in a key or a value that a schema can see
SEEN = {
    *("unknown-key-refused", "unknown-key-ignored", "removed-key-refused"),
    *("value-refused", "value-misread", "section-not-a-mapping", "distributed-type-refused"),
}
# where the schema asks for more than upstream: the value is taken, and is hardly what was meant
STRICTER: dict[str, tuple[Any, ...]] = {
    "true-only": ("maybe", "auto"),  # any other word is false
    "class-names": (7,),
    "flag": ("auto",),
    "truth-list": ("words",),
    "section": ("words", 3, [], "auto"),  # of a section that the engine does not read
}
TABLES = ("accelerate", "fsdp", "deepspeed-inline", "parallelism", "dynamo", "fp8", "deepspeed-json", "trainer-fsdp")
ROWS = [row for name in TABLES for row in load_table(name)]


def row_id(row: Row) -> str:
    return f"{row.table}:{row.key}" + (f"[{','.join(row.engines)}]" if row.engines else "")


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_schema_and_tables_agree(row: Row, tmp_path: Path) -> None:
    problems = []
    for engine in engines(row):
        beside = in_force(row, engine)
        for value in (*spelled(row), *wrong(row)):
            try:
                found, told = answers(row, engine, {**beside, row.key: value}, tmp_path)
            except InputError:
                continue  # a file for SageMaker, a TPU or Megatron-LM, which fsds does not read
            if told and not found and not excused(row, value):
                problems.append(f"{engine}, {row.key}: {value!r}: only the schema refuses it: {told[0]}")
            if found and not told and not (isinstance(value, float) and value.is_integer()):  # 2.0 is an integer there
                problems.append(f"{engine}, {row.key}: {value!r}: only the tables refuse it: {found}")
    assert problems == []


def engines(row: Row) -> Iterator[str]:
    """The engines that read this very row."""
    name = "deepspeed-json" if row.table.startswith("deepspeed-json") else row.table
    for engine, module in MODULES.items():
        acts = not row.engines or engine in row.engines
        reads = engine in ("fsdp1", "fsdp2") if name == "trainer-fsdp" else name in module.TABLES
        if reads and acts and load_table(name).row(row.key, engine) is row:
            yield engine


def answers(row: Row, engine: str, keys: files.Keys, folder: Path) -> tuple[list[str], list[str]]:
    """What the tables and the schema have against a file; "auto" that the Trainer alone fills in is asked of it."""
    context = Context("trainer" if row.auto == "trainer" else "accelerate")
    reading: Any
    if row.table == "trainer-fsdp":
        path, name = folder / "fsdp_config.json", "trainer-fsdp"
        version = {"version": 1} if engine == "fsdp1" else {}
        data = {**version, **{key.removeprefix("fsdp_config."): value for key, value in keys.items()}}
        path.write_text(json.dumps(data), encoding="utf-8")
        reading = trainer_fsdp.read(read_source(str(path)), context)
    elif row.table.startswith("deepspeed-json"):
        path, name = files.write_json(folder, keys).parent / files.JSON_NAME, "deepspeed"
        data = json.loads(path.read_text("utf-8"))
        reading = deepspeed_json.read(read_source(str(path)), context)
    else:
        path, name = files.write(folder, engine, keys), "accelerate"
        data = yaml.safe_load(path.read_text("utf-8"))
        reading = accelerate_file.read(read_source(str(path)), context)
    found = [f"{found.name}: {found.message}" for found in reading.findings if found.name in SEEN]
    return found, [error.message for error in validator(name).iter_errors(data)]


def excused(row: Row, value: Any) -> bool:
    """Whether the schema asks for more on purpose, or nobody reads the value here."""
    unread = any(i.unread and not i.condition.when for i in row.ignored)
    if row.name == "fsdp_version":
        return True  # another number is found as a combination, with what else the file says
    return unread or any(type(value) is type(v) and value == v for v in STRICTER.get(row.type, ()))
