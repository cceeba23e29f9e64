"""Texts made to exhaust a parser end at once, as a problem."""

from __future__ import annotations

import time
from typing import Any

import pytest

from fsds_convert.syntax.json_text import parse_json
from fsds_convert.syntax.limits import MAX_DEPTH
from fsds_convert.syntax.problem import Parsed
from fsds_convert.syntax.yaml_text import parse_yaml


def laughs(opening: str, item: str) -> str:
    """Twelve anchors, each of nine aliases of the one before."""
    first = "a0: &a0 {k: 1}\n"
    return first + "".join(opening.format(i=i, items=", ".join([item.format(i - 1)] * 9)) for i in range(1, 12))


YAML = {
    "brackets": ("[" * 90_000, "too-deep"),
    "closed brackets": ("[" * 30_000 + "]" * 30_000, "too-deep"),
    "braces": ("{a: " * 30_000, "too-deep"),
    "compact lists": ("- " * 100_000, "too-deep"),
    "compact keys": ("? " * 100_000, "too-deep"),
    "indented keys": ("".join(" " * i + "a:\n" for i in range(4_000)), "too-deep"),
    "indented lists": ("".join(" " * i + "-\n" for i in range(4_000)), "too-deep"),
    "aliases of aliases": ("- &a0 [x]\n" + "".join(f"- &a{i} [*a{i - 1}]\n" for i in range(1, 400)), "too-deep"),
    "ten million brackets": ("[" * 10_000_000, "too-large"),
    "ten million items": ("[" + "1," * 5_000_000 + "1]", "too-large"),
    "million lines": ("a: 1\n" * 1_000_000, "too-large"),
    "billion laughs": (laughs("a{i}: &a{i} [{items}]\n", "*a{}"), "too-many-aliases"),
    "billion merges": (laughs("a{i}: &a{i}\n  k{i}: 1\n  <<: [{items}]\n", "*a{}"), "too-many-aliases"),
    "list in itself": ("a: &a [*a]", "recursive-alias"),
    "mapping in itself": ("&a {b: {c: *a}}", "recursive-alias"),
    "merged with itself": ("a: &a {<<: *a}", "recursive-alias"),
    "base 60": ("a: " + "1:" * 90_000 + "1", "bad-value"),
    "digits": ("a: " + "9" * 90_000, "bad-value"),
    "openings of templates": ("a: '{{" * 20_000, "syntax"),
    "brackets, then what no parser takes": ("[" * 150 + "\x07", "syntax"),
}

JSON = {
    "brackets": ("[" * 90_000, "too-deep"),
    "braces": ('{"a":' * 30_000, "too-deep"),
    "ten million brackets": ("[" * 10_000_000, "too-large"),
    "comment that never ends": ("{/*" + " *" * 1_000_000, "syntax"),
    "openings of templates": ('{"a": ' + "{{" * 40_000, "syntax"),
}


def assert_refused_at_once(parse: Any, text: str, kind: str) -> None:
    start = time.process_time()
    parsed: Parsed = parse(text)
    assert time.process_time() - start < 3
    assert (parsed.data, [problem.kind for problem in parsed.problems]) == (None, [kind])
    assert len(parsed.problems[0].message) < 200


@pytest.mark.parametrize("name", YAML)
def test_yaml(name: str, loader: Any) -> None:
    assert_refused_at_once(lambda text: parse_yaml(text, loader), *YAML[name])


@pytest.mark.parametrize("name", JSON)
def test_json(name: str) -> None:
    assert_refused_at_once(parse_json, *JSON[name])


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1])
def test_depth_up_to_the_limit(depth: int, loader: Any) -> None:
    text = '{"a": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"
    for parsed in (parse_yaml(text, loader), parse_json(text)):
        assert [problem.kind for problem in parsed.problems] == ([] if depth <= MAX_DEPTH else ["too-deep"])


def test_deep_key(loader: Any) -> None:
    # PyYAML builds a key by recursion, and only then finds that a list cannot be one
    (problem,) = parse_yaml("? " + "[" * 199 + "]" * 199 + "\n: 1", loader).problems
    assert problem.kind in ("too-deep", "syntax")


def test_brackets_in_text_and_comments_are_no_nesting(loader: Any) -> None:
    text = "a: '" + "[" * 500 + "'\n# " + "{" * 500 + "\nb: |\n" + " " * 300 + "x\n"
    assert parse_yaml(text, loader).problems == ()


def test_anchors_may_be_used_again_and_again(loader: Any) -> None:
    parsed = parse_yaml("a: &a {k: [1, 2]}\n" + "".join(f"b{i}: *a\n" for i in range(1000)), loader)
    assert parsed.problems == ()
    assert parsed.data["b999"] is parsed.data["a"]
