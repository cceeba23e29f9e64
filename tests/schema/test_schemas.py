"""The published schemas: valid, what the tables give, and what check-jsonschema takes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from fsds_convert.schema.build import NAMES, build
from fsds_convert.tables.load import load_table

from .published import FOLDER, schema

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_json_for_every_parser(name: str) -> None:
    """Python's own takes NaN and Infinity, which stop an editor from reading the schema at all."""
    text = (FOLDER / f"{name}.schema.json").read_text("utf-8")
    assert json.loads(text, parse_constant=pytest.fail) == schema(name)


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_draft_07(name: str) -> None:
    Draft7Validator.check_schema(schema(name))
    assert schema(name)["$schema"] == "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize("name", NAMES)
def test_published_schema_is_what_the_tables_give(name: str) -> None:
    assert schema(name) == build(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_key_has_a_description_and_says_what_it_accepts(name: str) -> None:
    for path, held in keys(schema(name), name):
        # an editor shows the message of a section in the place of those about the keys inside
        is_section = "properties" in held or held.get("type") in ("object", ["object", "null"])
        assert not held or {"description", *(() if is_section else ("errorMessage",))} <= set(held), path


def keys(held: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The schema of each key, at any depth."""
    for part in (held, *(branch for rule in held.get("allOf", ()) for branch in (rule["then"], rule["else"]))):
        for name, value in part.get("properties", {}).items():
            yield f"{path}.{name}", value
            yield from keys(value, f"{path}.{name}")


@pytest.mark.parametrize(
    ("name", "table"), [("accelerate", "accelerate"), ("deepspeed", "deepspeed-json"), ("trainer-fsdp", "trainer-fsdp")]
)
def test_every_key_of_the_table_is_there(name: str, table: str) -> None:
    held = {path.removeprefix(f"{name}.") for path, _ in keys(schema(name), name)}
    section = load_table(table).section
    assert {row.key.removeprefix(f"{section}.") for row in load_table(table)} - held == set()


def test_pointers_lead_somewhere() -> None:
    """Names without their prefix are told by a pointer to the key itself."""
    section = schema("accelerate")["properties"]["fsdp_config"]
    for pattern, held in section["patternProperties"].items():
        assert pattern.startswith("^")
        assert not held or held["$ref"].rpartition("/")[2] in section["properties"]


def check_jsonschema(*arguments: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", NAMES)
def test_check_jsonschema_takes_the_schema(name: str) -> None:
    done = check_jsonschema("--check-metaschema", str(FOLDER / f"{name}.schema.json"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("name", "suffix"), [("accelerate", "yaml"), ("deepspeed", "json")])
def test_check_jsonschema_passes_the_examples(name: str, suffix: str) -> None:
    files = sorted(map(str, EXAMPLES.glob(f"*.{suffix}")))
    done = check_jsonschema("--schemafile", str(FOLDER / f"{name}.schema.json"), *files)
    assert done.returncode == 0, done.stdout + done.stderr


def test_check_jsonschema_refuses_a_misspelt_key(tmp_path: Path) -> None:
    path = tmp_path / "train.yaml"
    shutil.copy(EXAMPLES / "fsdp2.yaml", path)
    path.write_text(path.read_text("utf-8").replace("fsdp_version", "fsdp_verson"), "utf-8")
    done = check_jsonschema("--schemafile", str(FOLDER / "accelerate.schema.json"), str(path))
    assert done.returncode == 1
    assert "fsdp_verson" in done.stdout
