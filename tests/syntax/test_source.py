"""Bytes -> Source: encodings, formats, the text as written."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
import yaml

from fsds_convert.errors import InputError
from fsds_convert.syntax.decoding import encode
from fsds_convert.syntax.source import load


@pytest.mark.parametrize(
    ("content", "encoding", "bom", "kinds"),
    [
        ("é: 😀\r\n".encode(), "utf-8", False, []),
        ("é: 😀\r\n".encode("utf-8-sig"), "utf-8", True, []),
        (b"\xff\xfe" + "é: 😀\r\n".encode("utf-16-le"), "utf-16-le", True, ["encoding"]),
        (b"\xfe\xff" + "é: 😀\r\n".encode("utf-16-be"), "utf-16-be", True, ["encoding"]),
    ],
)
def test_encodings(content: bytes, encoding: str, bom: bool, kinds: list[str]) -> None:
    source = load(content, "a.yaml")
    assert (source.text, source.data) == ("é: 😀\r\n", {"é": "😀"})
    assert (source.encoding, source.bom, [problem.kind for problem in source.problems]) == (encoding, bom, kinds)
    assert source.raw(("é",)) == "😀"
    assert encode(source.text, source.encoding, source.bom) == content


def test_byte_order_mark_is_a_problem_for_json_only(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    with open(path, encoding="utf-8") as file, pytest.raises(json.JSONDecodeError, match="BOM"):
        json.load(file)
    with open(path, encoding="utf-8") as file:
        assert yaml.safe_load(file) == {"a": 1}
    source = load(path.read_bytes(), "a.json")
    assert (source.data, [problem.kind for problem in source.problems]) == ({"a": 1}, ["encoding"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: 1\nb: \xe9\n", "a.yaml: not UTF-8 text: byte 0xe9 on line 2"),
        (b"\xff\xfea", "a.yaml: not UTF-16-LE text: byte 0x61 on line 1"),
        (b"a: \x00", "a.yaml: a binary file"),
        (b"\x89PNG\r\n\x1a\n", "a.yaml: not UTF-8 text: byte 0x89 on line 1"),
        ("a: 1".encode("utf-16-le"), "a.yaml: a binary file"),
        ("a: 1".encode("utf-32"), "a.yaml: a binary file"),
    ],
)
def test_content_that_is_no_text(content: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load(content, "a.yaml")
    assert caught.value.message == message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "text", "format", "data"),
    [
        ("a.json", '{"a": 1}', "json", {"a": 1}),
        ("a.yaml", '{"a": 1}', "yaml", {"a": 1}),
        ("a.yml", "a: 1", "yaml", {"a": 1}),
        ("a.json", "a: 1", "json", None),
        ("<stdin>", "a: 1", "yaml", {"a": 1}),
        ("<stdin>", "", "yaml", None),
        ("<stdin>", ' \n{"a": 1e5}', "json", {"a": 100000.0}),
        ("<stdin>", '// c\n{"a": 1,}', "json", {"a": 1}),
        ("<stdin>", '/* c */ {"a": 1}', "json", {"a": 1}),
        ("<stdin>", "[1]", "json", [1]),
        ("<stdin>", "{a: 1}", "yaml", {"a": 1}),
        ("<stdin>", '{"a": b}', "yaml", {"a": "b"}),
        ("<stdin>", "[a]", "yaml", ["a"]),
        ("<stdin>", '{"a": [1 "b": 2}', "json", None),
        ("<stdin>", "{a: [1 }", "yaml", None),
        ("ds_config", '{"a": 1}', "json", {"a": 1}),
        # Accelerate looks for exactly `.json`
        ("a.JSON", "a: 1", "yaml", {"a": 1}),
    ],
)
def test_format(name: str, text: str, format: str, data: Any) -> None:
    source = load(text.encode(), name)
    assert (source.format, source.data) == (format, data)


def test_format_can_be_given() -> None:
    assert load(b'{"a": 1e5}', "a.yaml", format="json").data == {"a": 100000.0}


def test_raw_of_a_path_without_value() -> None:
    with pytest.raises(KeyError):
        load(b"a: 1", "a.yaml").raw(("b",))


def test_sources_are_told_apart_and_can_be_keys() -> None:
    first, second = load(b"a: 1", "a.yaml"), load(b"a: 1", "a.yaml")
    assert len({first, second}) == 2
