"""Every file of mappings/ against its schema, the plan, and the other files."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from fsds_convert.engines.fields import plan_value
from fsds_convert.plan.training_plan import FIELDS
from fsds_convert.settings.coerce import coerce
from fsds_convert.tables.load import data_folder, load_document, load_table
from fsds_convert.tables.row import NO_DEFAULT, Condition, Row
from fsds_convert.transfer.choices import CHOICES
from fsds_convert.transfer.rows import SAME, transfers

from .plan_values import legal

NAMES = sorted(path.stem for path in data_folder("mappings").glob("*.yaml"))
TABLES = [name for name in NAMES if "table" in load_document(name)]
RULES = [name for name in NAMES if name.startswith("rules-")]
ROWS = [row for name in TABLES if name != "deepspeed-json-other" for row in load_table(name)]
CODES = Path(__file__).parent / "codes.txt"
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SOURCE = "".join(path.read_text("utf-8") for path in data_folder("mappings").parent.glob("fsds_convert/**/*.py"))


def schema(name: str) -> Any:
    own = data_folder("schemas") / f"{'rules' if name in RULES else name}.schema.json"
    return json.loads((own if own.is_file() else own.with_name("table.schema.json")).read_text(encoding="utf-8"))


def row_id(row: Row) -> str:
    return f"{row.table}:{row.key}"


@pytest.mark.parametrize("path", sorted(data_folder("schemas").glob("*.json")), ids=lambda path: path.name)
def test_schema_is_one(path: Path) -> None:
    jsonschema.Draft7Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", NAMES)
def test_file_is_valid(name: str) -> None:
    rules = Resource.from_contents(schema("rules"))  # whose pages the findings share
    registry = Registry().with_resource(rules.id() or "", rules)
    errors = jsonschema.Draft7Validator(schema(name), registry=registry).iter_errors(load_document(name))
    assert [f"{'.'.join(map(str, error.absolute_path))}: {error.message}" for error in errors] == []


@pytest.mark.parametrize("name", TABLES)
def test_table_is_named_after_its_file(name: str) -> None:
    assert load_document(name)["table"] == name


@pytest.mark.parametrize("name", RULES)
def test_rules_are_named_after_their_file(name: str) -> None:
    assert load_document(name)["rules"] == name


def test_no_key_twice() -> None:
    counted = Counter((row.table, row.key, engine) for row in ROWS for engine in row.engines or ("",))
    assert [key for key, count in counted.items() if count > 1] == []


@pytest.mark.parametrize("row", [row for row in ROWS if row.field], ids=row_id)
def test_field_and_its_words(row: Row) -> None:
    """The plan has the field, and can hold what each spelling stands for."""
    assert row.field in FIELDS
    wrong = {s: word for s, word in row.values.items() if word is not None and not legal(row.field, plan_value(word))}
    assert wrong == {}


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_row_holds_together(row: Row) -> None:
    """Every reference of a row leads somewhere, and its type has a reader."""
    assert list(broken(row)) == []


def broken(row: Row) -> Iterator[str]:
    coerce(row, "words")  # KeyError for a type without a reader
    table = load_table("deepspeed-json" if row.table == "deepspeed-json-other" else row.table)
    yield from (f"alias {alias}: {s!r} is no spelling" for alias, s in row.aliases.items() if s not in row.values)
    yield from (f"mistaken {said}: {s!r} is no spelling" for said, s in row.mistaken.items() if s not in row.values)
    yield from (f"mistaken {said} is not in lower case" for said in row.mistaken if said != said.lower())
    if row.json is not None and row.json not in load_table("deepspeed-json").by_key:
        yield f"the JSON has no key {row.json}"
    beside = f"{row.key.rpartition('.')[0]}.{row.replaced_by}"
    if row.replaced_by is not None and not {row.replaced_by, beside, f"{table.section}.{row.replaced_by}"} & set(
        table.by_key
    ):
        yield f"no key {row.replaced_by}"
    for condition in conditions(row):
        yield from (f"no key {key}, which a condition names" for key in condition.when if key not in table.by_key)
    for default in row.defaults:
        value = default.value
        if row.type == "choice" and value is not None and value != "auto" and value not in row.values:
            yield f"default {value!r} is no spelling"


def conditions(row: Row) -> Iterator[Condition]:
    yield from (default.condition for default in row.defaults)
    yield from (ignored.condition for ignored in row.ignored)


@pytest.mark.parametrize("engine", load_document("engines")["engines"])
def test_engine_decides_legal_values(engine: str) -> None:
    facts = load_document("engines")["engines"][engine]
    assert [path for path in facts if path not in FIELDS] == []
    assert {path: fact["value"] for path, fact in facts.items() if not legal(path, plan_value(fact["value"]))} == {}


def test_plan_has_an_entry_for_each_field() -> None:
    assert tuple(load_document("plan")["fields"]) == FIELDS


@pytest.mark.parametrize("row", transfers(), ids=lambda row: row.name)
def test_transfer_holds_together(row: Any) -> None:
    """Fields, values and functions that a row of transfer.yaml names."""
    assert row.field in FIELDS
    values = [*(row.values or ()), *(row.not_values or ()), *([] if row.becomes is SAME else [row.becomes])]
    assert [value for value in values if not legal(row.field, value)] == []
    # a function that does not stand in CHOICES takes its rows by their names
    assert row.chosen_by is None or row.chosen_by in CHOICES or f'"{row.name}"' in SOURCE
    for path, allowed in (*row.when.items(), *row.when_not.items()):
        assert path not in FIELDS or [value for value in allowed if not legal(path, value)] == []
        assert path in FIELDS or any(path in load_table(name).by_key for name in TABLES)


def coded() -> list[tuple[str, str]]:
    """Code and name of every finding, of every rule, and of every note that has a row."""
    tables = ("findings", "transfer", *RULES)
    return [(row["code"], row["name"]) for name in tables for row in load_document(name)["rows"]]


def test_codes_are_unique() -> None:
    in_source = set(re.findall(r'"(FSDS[0-9A-F]{3})"', SOURCE))
    codes = [*(code for code, _ in coded()), *in_source]
    assert [code for code, count in Counter(codes).items() if count > 1] == []


def test_names_are_unique_and_kebab_case() -> None:
    names = [*(name for _, name in coded()), *(advice["name"] for advice in load_document("transfer")["advice"])]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert [name for name in names if not KEBAB.fullmatch(name)] == []


def test_codes_are_never_used_again(request: pytest.FixtureRequest) -> None:
    """codes.txt holds every code there ever was: one that is gone stays there, and a new one is added (--update)."""
    known = dict(line.split() for line in CODES.read_text(encoding="utf-8").splitlines())
    current = dict(coded())
    if request.config.getoption("--update"):
        known |= {code: name for code, name in current.items() if code not in known}
        CODES.write_text("".join(f"{code} {name}\n" for code, name in sorted(known.items())), encoding="utf-8")
    new = {code: name for code, name in current.items() if known.get(code) != name}
    assert not new, (
        f"add {new} to {CODES.name} (pytest {Path(__file__).name} --update), unless a code meant something else"
    )
    assert set(re.findall(r'"(FSDS[0-9A-F]{3})"', SOURCE)) <= set(known)


def test_defaults_agree_with_their_type() -> None:
    """A default is what the type would make of it."""
    wrong = []
    for row in ROWS:
        for default in row.defaults:
            if row.type in ("raw", "section", "dead", "refused") or row.never_read or default.value in (None, "auto"):
                continue
            read = coerce(row, list(default.value) if isinstance(default.value, tuple) else default.value)
            if read.refused or read.value != default.value or default.value is NO_DEFAULT:
                wrong.append(f"{row_id(row)}: {default.value!r}")
    assert wrong == []
