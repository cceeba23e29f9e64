"""A value of every kind for every key of every table: a finding perhaps, never a bug."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from fsds_convert.tables.load import load_table

from . import configs
from .command import run
from .whole_program import NAMES, run_all

VALUES: tuple[Any, ...] = (
    *(None, True, False, "text", "", "auto", "none", "1", "0", "a, b", "${X}", "\x1b[0m\n", 3, -1, 0, 1.5, 10**30),
    *(float("nan"), float("inf"), [], ["a", 1], [[1]], {}, {"a": 1}, {"type": [1], "params": 1}, {1: {2: 3}}),
)
# what YAML has and JSON has not
YAML_VALUES = (date(2024, 1, 1), {"a", "b"}, b"\0\1", [("a", 1)])

ACCELERATE = ("accelerate", "parallelism", "dynamo", "fp8")
# a file, and the tables whose keys it holds
BASES: dict[str, tuple[str, tuple[str, ...]]] = {
    "fsdp1": (configs.FSDP1, (*ACCELERATE, "fsdp")),
    "fsdp2": (configs.FSDP2, (*ACCELERATE, "fsdp")),
    "deepspeed": (configs.ZERO3, (*ACCELERATE, "deepspeed-inline")),
    "ddp": (configs.DDP, ("accelerate", "dynamo", "fp8")),
    "json": (configs.DEEPSPEED_JSON, ("deepspeed-json",)),
    "named": (configs.DEEPSPEED_JSON, ("deepspeed-json",)),
}
# which engine reads the file, and which other file: wrong ones are test_bad_input.py's
STEERING = (
    "distributed_type",
    "compute_environment",
    "fsdp_config.fsdp_version",
    "deepspeed_config.deepspeed_config_file",
)


def keys(base: str, *, with_field: bool | None = None) -> list[str]:
    rows = (row for name in BASES[base][1] for row in load_table(name))
    return list(dict.fromkeys(row.key for row in rows if with_field in (None, row.field is not None)))


def put(data: dict[Any, Any], key: str, value: Any) -> None:
    *sections, name = key.split(".")
    for section in sections:
        if not isinstance(data.get(section), dict):
            data[section] = {}
        data = data[section]
    data[name] = copy.deepcopy(value)


def write(base: str, data: dict[Any, Any], folder: Path) -> Path:
    if base in ("json", "named"):
        (folder / "ds.json").write_text(json.dumps(data))
        path = folder / ("ds.json" if base == "json" else "named.yaml")
        if base == "named":
            path.write_text(configs.WITH_FILE.replace("ds.json", json.dumps(str(folder / "ds.json"))))
        return path
    path = folder / "a.yaml"
    path.write_text(yaml.dump(data, Dumper=Dumper, sort_keys=False))
    return path


class Dumper(yaml.SafeDumper):
    """No aliases: a value stands wherever it is put."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


@pytest.fixture
def others(tmp_path: Path) -> tuple[Path, ...]:
    texts = {"other1.yaml": configs.FSDP1, "other2.yaml": configs.ZERO3, "other3.json": configs.DEEPSPEED_JSON}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tuple(tmp_path / name for name in texts)


def single(base: str) -> Iterator[tuple[str, Any]]:
    """Keys of plan fields with a part of the values, and others with one; the next key has other values."""
    values = VALUES if base in ("json", "named") else (*VALUES, *YAML_VALUES)
    for number, key in enumerate(keys(base, with_field=True)):
        yield from ((key, value) for value in values[number % PART :: PART])
    if base != "named":  # as in a JSON alone
        yield from ((key, values[number % len(values)]) for number, key in enumerate(keys(base, with_field=False)))


# of the values, one in so many is tried by itself; all of them are tried together with others
PART = 12


@pytest.mark.parametrize("base", BASES)
def test_one_wrong_value(base: str, others: tuple[Path, ...], tmp_path: Path) -> None:
    start = {} if base == "named" else yaml.safe_load(BASES[base][0])
    for turn, (key, value) in enumerate(single(base)):
        data = copy.deepcopy(start)
        put(data, key, value)
        try:
            assert all(run_all(write(base, data, tmp_path), others, turn, targets=1))
        except Exception as error:
            pytest.fail(f"{key}: {value!r} (turn {turn}): {type(error).__name__}: {error}")


@pytest.mark.parametrize("shift", range(len(VALUES)))
@pytest.mark.parametrize("base", [base for base in BASES if base != "named"])
def test_all_values_wrong(base: str, shift: int, others: tuple[Path, ...], tmp_path: Path) -> None:
    """Every key at once, each with another value; after all shifts each key had each value."""
    data = yaml.safe_load(BASES[base][0])
    for number, key in enumerate(keys(base)):
        if key not in STEERING:
            put(data, key, VALUES[(number + shift) % len(VALUES)])
    path = write(base, data, tmp_path)
    assert all(run_all(path, others, shift, targets=2))
    done = run(tmp_path, "convert", path.name, "--to", NAMES[shift % 4], "--allow-lossy")
    assert done.status in (0, 1, 2), done.err
