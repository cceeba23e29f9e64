"""Where YAML keys and values stand, with both parsers."""

from __future__ import annotations

import time
from typing import Any

import pytest
import yaml

from fsds_convert.syntax.span import Path
from fsds_convert.syntax.yaml_loader import PureLoader, loader_class
from fsds_convert.syntax.yaml_text import parse_yaml

VALUES: dict[str, tuple[str, dict[Path, str]]] = {
    "plain": ("a: 1\nb: x y # c\n", {("a",): "1", ("b",): "x y"}),
    "quoted": ('a: \'no\'\n"b": "x # y"\n', {("a",): "'no'", ("b",): '"x # y"'}),
    "nothing written": ("a:\nb: # c\n", {("a",): "", ("b",): ""}),
    "block without what follows it": (
        "a:\n  b: 1 # c\n\n  # tail\n\nd: 2\n",
        {("a",): "b: 1", ("a", "b"): "1", ("d",): "2"},
    ),
    "nested blocks": (
        "a:\n  b:\n  - c: 1\n    d: 2\n# e\nf: 3",
        {("a",): "b:\n  - c: 1\n    d: 2", ("a", "b", 0, "d"): "2"},
    ),
    "list at the indentation of its key": ("a:\n- 1\n- 2\n\nb: 3", {("a",): "- 1\n- 2", ("a", 1): "2"}),
    "flow": ("a: {b: [1, 2], c: d} # e\n", {("a",): "{b: [1, 2], c: d}", ("a", "b"): "[1, 2]", ("a", "b", 1): "2"}),
    "literal": ("a: |\n  x\n\n  y\n\n# c\nb: 1\n", {("a",): "|\n  x\n\n  y", ("b",): "1"}),
    "folded with indicators": ("a: >2-\n   x\n  y\n", {("a",): ">2-\n   x\n  y"}),
    "wide characters": ("é😀: 1\nb: '😀😀'\nc: 2", {("é😀",): "1", ("b",): "'😀😀'", ("c",): "2"}),
    "carriage returns": ("a: 1\r\nb:\r\n  - x\r\n\r\nc: 2\r\n", {("a",): "1", ("b",): "- x", ("c",): "2"}),
    "anchor and tag": ("a: &x !!str 1\nb: *x\n", {("a",): "&x !!str 1", ("b",): "&x !!str 1"}),
    "alias": ("a: &x {k: 1}\nb: *x\n", {("b",): "&x {k: 1}", ("b", "k"): "1"}),
    "merge": (
        "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\n",
        {("b",): "<<: *x\n  l: 3", ("b", "k"): "1", ("b", "l"): "3"},
    ),
    "merge behind": ("a: &x {k: 1}\nb:\n  l: 3\n  <<: *x # c\n# d\ne: 1", {("b",): "l: 3\n  <<: *x", ("b", "k"): "1"}),
    "block that ends with aliases": (
        "a: &x 1\nb: &y\n  # c\n  - *x\n  - *x # *d\nc: 1",
        {("b",): "&y\n  # c\n  - *x\n  - *x", ("b", 1): "&x 1"},
    ),
    "last of equal keys": ("a: {b: 1}\na: 2\n", {("a",): "2"}),
    "keys that are no text": ("1: a\nno: b\n~: c\n", {(1,): "a", (False,): "b", (None,): "c"}),  # type: ignore[dict-item]
    "explicit keys": ("? a\n: 1\n? b\n", {("a",): "1", ("b",): ""}),
    "document markers": ("%YAML 1.1\n---\na: 1\n...\n", {(): "a: 1", ("a",): "1"}),
    "JSON": ('{\n  "a": {"b": [1, null]}\n}\n', {(): '{\n  "a": {"b": [1, null]}\n}', ("a", "b", 1): "null"}),
}


@pytest.mark.parametrize("name", VALUES)
def test_value_stands_where_it_is_written(name: str, loader: Any) -> None:
    text, expected = VALUES[name]
    spans = parse_yaml(text, loader).values
    assert {path: text[spans[path].start : spans[path].end] for path in expected} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\n'b': {c: 2}\n", {("a",): "a", ("b",): "'b'", ("b", "c"): "c"}),
        (
            "x: &x {k: 1}\ny: {<<: *x, l: 2}\n",
            {("x",): "x", ("x", "k"): "k", ("y",): "y", ("y", "k"): "k", ("y", "l"): "l"},
        ),
        ("- a: 1\n- a: 2\n", {(0, "a"): "a", (1, "a"): "a"}),
    ],
)
def test_keys(text: str, expected: dict[Path, str], loader: Any) -> None:
    spans = parse_yaml(text, loader).keys
    assert {path: text[span.start : span.end] for path, span in spans.items()} == expected


def test_second_of_equal_keys_has_no_path_below_the_first(loader: Any) -> None:
    assert set(parse_yaml("a: {b: 1}\na: 2\n", loader).values) == {(), ("a",)}


def test_lines_and_columns_count_from_one(loader: Any) -> None:
    span = parse_yaml("a: 1\r\nb:\r\n  😀: 'x\n   y'\r\n", loader).values["b", "😀"]
    assert (span.line, span.column, span.end_line, span.end_column) == (3, 6, 4, 6)


def test_positions_cost_little() -> None:
    if loader_class() is PureLoader:
        pytest.skip("PyYAML without libyaml")
    text = "".join(f"key_{index}: value # comment\n" for index in range(24)) + "b:\n  c: 1\n"

    def fastest(load: Any) -> float:
        times = []
        for _ in range(200):
            start = time.perf_counter()
            load(text)
            times.append(time.perf_counter() - start)
        return min(times)

    # about 2.5 times; 0.5 ms would be 6 times
    assert fastest(parse_yaml) < 6 * fastest(lambda text: yaml.load(text, yaml.CSafeLoader))
