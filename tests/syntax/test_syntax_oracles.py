"""yaml.safe_load and json.loads say what every text means: real files, generated values, random fragments."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsds_convert.errors import InputError
from fsds_convert.syntax.json_text import parse_json
from fsds_convert.syntax.problem import Parsed
from fsds_convert.syntax.source import load
from fsds_convert.syntax.yaml_loader import PureLoader, loader_class
from fsds_convert.syntax.yaml_text import parse_yaml

ROOT = Path(__file__).parent.parent.parent
CORPUS = sorted(
    path for path in (ROOT.parent / "shared" / "corpus").glob("*/*") if path.suffix in (".yaml", ".yml", ".json")
)
SHIPPED = sorted(path for folder in ("examples", "mappings") for path in (ROOT / folder).glob("*.*"))

LOADERS = list(dict.fromkeys([loader_class(), PureLoader]))
FAILS = {"syntax", "tab", "template", "unknown-tag", "bad-value", "multiple-documents", "empty"}
STRICT_ONLY = {"json-comment", "json-trailing-comma"}


def kinds(parsed: Any) -> set[str]:
    return {problem.kind for problem in parsed.problems}


def assert_every_place(text: str, parsed: Parsed) -> None:
    """Each value of the data has a place, no other has, and a line holds what its number says."""
    expected: set[Any] = set()

    def visit(value: Any, path: tuple[Any, ...]) -> None:
        expected.add(path)
        if isinstance(value, dict):
            for key, inner in value.items():
                assert (*path, key) in parsed.keys
                visit(inner, (*path, key))
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                visit(inner, (*path, index))

    visit(parsed.data, ())
    assert set(parsed.values) == expected
    for span in (*parsed.keys.values(), *parsed.values.values()):
        assert 0 <= span.start <= span.end <= len(text)
        before = text[: span.start].replace("\r\n", "\n").replace("\r", "\n")
        assert (span.line, span.column) == (before.count("\n") + 1, len(before) - before.rfind("\n"))


def assert_raw_is_the_value(text: str, parsed: Parsed, read: Callable[[str], Any]) -> None:
    """What stands at the place of a scalar reads as that scalar."""
    for path, span in parsed.values.items():
        value = parsed.data
        for step in path:
            value = value[step]
        raw = text[span.start : span.end]
        if not isinstance(value, (dict, list)) and not re.match(r"(?:&\S+ )?[|>*]", raw):
            assert repr(read(raw)) == repr(value)


@pytest.mark.parametrize("path", CORPUS + SHIPPED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_real_files(path: Path) -> None:
    content = path.read_bytes()
    text = content.decode("utf-8-sig")
    source = load(content, str(path), path)
    read = json.loads if path.suffix == ".json" else yaml.safe_load
    try:
        expected = read(text)
    except (ValueError, yaml.YAMLError):
        assert kinds(source) & (FAILS | STRICT_ONLY)
        return
    assert repr(source.data) == repr(expected)
    assert not kinds(source) & (FAILS - {"template"} | STRICT_ONLY)
    parsed = [parse_json(text)] if path.suffix == ".json" else [parse_yaml(text, loader) for loader in LOADERS]
    for each in parsed:
        assert_every_place(text, each)
        assert (each.keys, each.values) == (source.keys, source.values)
        assert_raw_is_the_value(text, each, read)


# line breaks within text are folded, so that it has no plain raw form
TEXT = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=12) | st.sampled_from(
    ["no", "NO", "on", "1e-5", "010", "1:30", "~", "", "2020-01-01", "# x", "a: b", "${X}", "{{ x }}", "- a", "=", "<<"]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
VALUES = st.dictionaries(
    TEXT, st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))
)


@settings(max_examples=150, deadline=None)
@given(VALUES, st.sampled_from([None, True, False]), st.sampled_from(["\n", "\r\n"]))
def test_generated_yaml(value: Any, flow: bool | None, newline: str) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True, width=10**6, line_break=newline)
    for loader in LOADERS:
        parsed = parse_yaml(text, loader)
        assert repr(parsed.data) == repr(yaml.safe_load(text))
        assert kinds(parsed) <= {"template"}
        assert_every_place(text, parsed)
        assert_raw_is_the_value(text, parsed, yaml.safe_load)


@settings(max_examples=300, deadline=None)
@given(VALUES, st.sampled_from([None, 0, 2, "\t"]), st.booleans())
def test_generated_json(value: Any, indent: int | str | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    parsed = parse_json(text)
    assert repr(parsed.data) == repr(json.loads(text))
    assert kinds(parsed) <= {"template"}
    assert_every_place(text, parsed)
    assert_raw_is_the_value(text, parsed, json.loads)


YAML_FRAGMENTS = [
    *("a", "b", "x: ", "- ", "? ", ": ", "\n", "\n  ", "\n    ", "\r\n", "\r", "\t", "  ", "# c\n", "---\n", "...\n"),
    *("&a ", "*a", "*b", "!!int ", "!!set ", "!!binary ", "!x ", "<<: ", "=", "[", "]", "{", "}", ", ", "'", '"', "\\"),
    *(
        "|\n",
        "|+\n",
        ">-\n",
        "1",
        "010",
        "1e-5",
        "1:30",
        "0b_",
        "no",
        "~",
        "2020-01-01",
        "2020-99-01",
        "\u2028",
        "\x85",
    ),
    *("é", "😀", "\ufeff", "@", "%", "${X}", "{{ x }}", "\x07", "key: v\n", "  - i\n", "k: &a 1\n", "m: &a {x: 1}\n"),
    *("  k: *a\n", "<<: *a\n", "  <<: [*a, *a]\n", "%YAML 1.1\n", "<<<<<<< a\n", ">>>>>>> b\n"),
]
JSON_FRAGMENTS = [
    *("{", "}", "[", "]", ",", ":", '"a"', '"b"', '"a":', '{"a":', "1", "-1", "01", "1.5e3", "true", "null", "NaN"),
    *(
        "-Infinity",
        "// c\n",
        "/* c */",
        "# c\n",
        "/",
        " ",
        "\n",
        "\t",
        "'x'",
        "True",
        "\\",
        '"\\u00e9"',
        "😀",
        "x",
        "{{ x }}",
    ),
]
BOUNDED = settings(max_examples=800, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@BOUNDED
@given(st.sampled_from(["", "k: 1\n"]), st.lists(st.sampled_from(YAML_FRAGMENTS), max_size=14).map("".join))
def test_random_yaml(start: str, rest: str) -> None:
    text = start + rest
    try:
        expected, fails = yaml.safe_load(text), False
    except Exception:
        # safe_load raises ValueError, KeyError, AttributeError, ... beside YAMLError
        expected, fails = None, True
    for loader in LOADERS:
        parsed = parse_yaml(text, loader)
        if "recursive-alias" in kinds(parsed):
            continue
        if fails:
            # with a tab, the values are those of the C parser
            assert kinds(parsed) & (FAILS - {"empty"})
            assert parsed.data is None or "tab" in kinds(parsed)
        else:
            assert repr(parsed.data) == repr(expected)
            assert not kinds(parsed) & (FAILS - {"template", "empty"})


@BOUNDED
@given(st.lists(st.sampled_from(JSON_FRAGMENTS), max_size=14).map("".join), st.booleans())
def test_random_json(text: str, wrapped: bool) -> None:
    text = f'{{"k": 1, {text}}}' if wrapped else text
    parsed = parse_json(text)
    try:
        expected = json.loads(text)
    except json.JSONDecodeError:
        assert kinds(parsed) & (FAILS | STRICT_ONLY)
        return
    assert repr(parsed.data) == repr(expected)
    assert kinds(parsed) <= {"duplicate-key", "not-a-mapping", "template"}
    assert_every_place(text, parsed)


@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from(YAML_FRAGMENTS + JSON_FRAGMENTS), max_size=8).map("".join).map(str.encode)
)
def test_random_content(content: bytes) -> None:
    for name in ("a.yaml", "a.json", "<stdin>"):
        try:
            source = load(content, name)
        except InputError:
            continue
        assert source.data is not None or source.problems
