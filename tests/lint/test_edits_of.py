"""Changes to what a file holds as edits of its text: what is not touched stays, to the byte."""

from __future__ import annotations

from typing import Any

import pytest

from fsds_convert.diagnostics import Change
from fsds_convert.lint.edits_of import edits_of
from fsds_convert.syntax.edits import apply
from fsds_convert.syntax.source import load

Made = tuple[Any, ...]


def put(value: Any, *path: str | int) -> Change:
    return Change("set", path, value)


def out(*path: str | int) -> Change:
    return Change("remove", path)


def name(new: str, *path: str | int) -> Change:
    return Change("rename", path, new)


def result(text: str, changes: tuple[Change, ...], file: str) -> str | None:
    source = load(text.encode(), file)
    edits = edits_of(source, changes)
    return None if edits is None else apply(source.text, edits)


# name of the case: text, changes, new text; None: no fix rather than a wrong one
YAML: dict[str, tuple[str, tuple[Change, ...], str | None]] = {
    # values
    "a value": ("a: 1\nb: 2 # two\nc: 3\n", (put(5, "b"),), "a: 1\nb: 5 # two\nc: 3\n"),
    "a value of CRLF lines": ("a: 1\r\nb: 2\r\n", (put(5, "b"),), "a: 1\r\nb: 5\r\n"),
    "a value without a line break at the end": ("a: 1\nb: 2", (put(5, "b"),), "a: 1\nb: 5"),
    "a value behind a tab": ("b:\t1\n", (put(5, "b"),), "b:\t5\n"),
    "a value behind several blanks": ("b:    1   # x\n", (put(5, "b"),), "b:    5   # x\n"),
    "no value": ("a:\nb: 1\n", (put(5, "a"),), "a: 5\nb: 1\n"),
    "no value at the end": ("a:", (put(5, "a"),), "a: 5"),
    "no value, with a comment": ("a: # why\n", (put(5, "a"),), "a: 5 # why\n"),
    "no value in braces": ("b: {c: }\n", (put(5, "b", "c"),), "b: {c: 5}\n"),
    "a key alone in braces": ("b: {c}\n", (put(5, "b", "c"),), None),
    "a text in double quotes": ('b: "x" # c\n', (put("y z", "b"),), 'b: "y z" # c\n'),
    "a text in single quotes": ("b: 'x'\n", (put("y", "b"),), "b: 'y'\n"),
    "quotes within": ("b: 'x'\n", (put("it's", "b"),), "b: 'it''s'\n"),
    "a text that YAML would read as something else": ("b: x\n", (put("no", "b"),), "b: 'no'\n"),
    "a number for a text": ('b: "1"\n', (put(1, "b"),), "b: 1\n"),
    "a text for a number": ("b: 1\n", (put("1", "b"),), "b: '1'\n"),
    "a small number": ("b: 1\n", (put(1e-5, "b"),), "b: 1.0e-05\n"),
    "a text of two lines": ("b: a\n  c\nd: 1\n", (put("x", "b"),), "b: x\nd: 1\n"),
    "a block text": ("b: |\n  a\n  b\n\nc: 1\n", (put("x", "b"),), "b: x\n\nc: 1\n"),
    "a list": ("b:\n- x\n- y\nc: 1\n", (put("x,y", "b"),), "b: x,y\nc: 1\n"),
    "a list in brackets": ("b: [x, y] # two\n", (put("x,y", "b"),), "b: x,y # two\n"),
    "an item of a list": ("b:\n- x # one\n- y\n", (put(1, "b", 0),), None),
    "a section": ("b:\n  c: 1\n\n# about d\nd: 1\n", (put("x", "b"),), "b: x\n\n# about d\nd: 1\n"),
    "a tagged value": ("b: !!str 1\n", (put(2, "b"),), "b: 2\n"),
    "a value on the line below": ("b:\n  1\nc: 2\n", (put(5, "b"),), "b: 5\nc: 2\n"),
    "a long key": ("? b\n: 1\n", (put(2, "b"),), "? b\n: 2\n"),
    "emoji before it": ("# \U0001f600\nb: 1\n", (put(2, "b"),), "# \U0001f600\nb: 2\n"),
    # names
    "a name": ("b:\n  c: 1 # x\n", (name("d", "b", "c"),), "b:\n  d: 1 # x\n"),
    "a name in double quotes": ('"b":\n  "c": 1\n', (name("d", "b", "c"),), '"b":\n  "d": 1\n'),
    "a name in single quotes": ("'b': 1\n", (name("d", "b"),), "'d': 1\n"),
    "a name that is there": ("b: 1\nc: 2\n", (name("c", "b"),), None),
    "a name and its value": ("b: 1\n", (put(2, "b"), name("c", "b")), "c: 2\n"),
    # keys that go
    "a key": ("a: 1\nb: 2 # two\nc: 3\n", (out("b"),), "a: 1\nc: 3\n"),
    "the last key of the file": ("a: 1\nb: 2", (out("b"),), "a: 1\n"),
    "a key of CRLF lines": ("a: 1\r\nb: 2\r\nc: 3\r\n", (out("b"),), "a: 1\r\nc: 3\r\n"),
    "a section goes": ("a: 1\nb:\n  c: 1\n\n# about d\nd: 1\n", (out("b"),), "a: 1\n\n# about d\nd: 1\n"),
    "a block text goes": ("b: |\n  a\n  b\nc: 1\n", (out("b"),), "c: 1\n"),
    "a text of two lines goes": ('b: "a\n  c"\nd: 1\n', (out("b"),), "d: 1\n"),
    "several keys": ("a: 1\nb: 2\nc: 3\nd: 4\n", (out("b"), out("c")), "a: 1\nd: 4\n"),
    "the only key of a section": ("b:\n  c: 1\nd: 2\n", (out("b", "c"),), "b: {}\nd: 2\n"),
    "all keys of a section": ("b:\n  c: 1\n  d: 2\n", (out("b", "c"), out("b", "d")), "b: {}\n"),
    "the only key of a section among comments": (
        "b: # here\n  # about c\n  c: 1\nd: 2\n",
        (out("b", "c"),),
        "b: # here\n  # about c\n  {}\nd: 2\n",
    ),
    "the only key of the file": ("b: 1\n", (out("b"),), None),
    "a key in braces": ("b: {c: 1, d: 2, e: 3}\n", (out("b", "d"),), "b: {c: 1, e: 3}\n"),
    "the first key in braces": ("b: {c: 1, d: 2}\n", (out("b", "c"),), "b: {d: 2}\n"),
    "the last key in braces": ("b: {c: 1, d: 2}\n", (out("b", "d"),), "b: {c: 1}\n"),
    "the only key in braces": ("b: {c: 1} # x\n", (out("b", "c"),), "b: {} # x\n"),
    "a long key goes": ("? b\n: 1\n? c\n: 2\n", (out("b"),), None),
    "a key that is not there": ("b: 1\n", (out("c"),), None),
    # keys that come
    "a new key": ("a: 1\n", (put(2, "c"),), "a: 1\nc: 2\n"),
    "a new key without a line break at the end": ("a: 1", (put(2, "c"),), "a: 1\nc: 2"),
    "a new key of CRLF lines": ("a: 1\r\n", (put(2, "c"),), "a: 1\r\nc: 2\r\n"),
    "a new key in a section": (
        "b:\n    d: 1 # x\n\nc: 2\n",
        (put(2, "b", "e"),),
        "b:\n    d: 1 # x\n    e: 2\n\nc: 2\n",
    ),
    "a new key below a section": (
        "b:\n  d:\n    e: 1\nc: 2\n",
        (put(2, "b", "f"),),
        "b:\n  d:\n    e: 1\n  f: 2\nc: 2\n",
    ),
    "a new key below a list": ("b:\n  d:\n  - 1\nc: 2\n", (put(2, "b", "f"),), "b:\n  d:\n  - 1\n  f: 2\nc: 2\n"),
    "a new key below a block text": (
        "b:\n  d: |\n    t\nc: 2\n",
        (put(2, "b", "f"),),
        "b:\n  d: |\n    t\n  f: 2\nc: 2\n",
    ),
    "a new key below a block text that would grow": ("b:\n  d: |\n    t", (put(2, "b", "f"),), None),
    "a new key below no value": ("b:\n  d:\nc: 2\n", (put(2, "b", "f"),), "b:\n  d:\n  f: 2\nc: 2\n"),
    "two new keys": ("b:\n  d: 1\n", (put(2, "b", "e"), put(3, "b", "f")), "b:\n  d: 1\n  e: 2\n  f: 3\n"),
    "a new key before the end of the document": ("a: 1\n...\n", (put(2, "c"),), "a: 1\nc: 2\n...\n"),
    "a new section": ("a: 1\n", (put(2, "b", "c"), put(3, "b", "d")), "a: 1\nb:\n  c: 2\n  d: 3\n"),
    "a new section in a new section": ("a: 1\n", (put(2, "b", "c", "d"),), "a: 1\nb:\n  c:\n    d: 2\n"),
    "an absent section": ("a: 1\nb:\nc: 2\n", (put(2, "b", "d"), put(3, "b", "e")), "a: 1\nb:\n  d: 2\n  e: 3\nc: 2\n"),
    "an absent section at the end": ("b:", (put(2, "b", "d"),), "b:\n  d: 2"),
    "an empty section": ("b: {}\nc: 2\n", (put(2, "b", "d"),), "b:\n  d: 2\nc: 2\n"),
    "an empty section of two lines": ("b: {\n}\nc: 2\n", (put(2, "b", "d"),), "b:\n  d: 2\nc: 2\n"),
    "a section of null": ("b: null\nc: 2\n", (put(2, "b", "d"),), "b:\n  d: 2\nc: 2\n"),
    "a section of ~, with a comment": ("b: ~ # x\nc: 2\n", (put(2, "b", "d"),), "b:\n  d: 2 # x\nc: 2\n"),
    "a section with nothing but a comment": ("b:\n  # x\nc: 2\n", (put(2, "b", "d"),), "b:\n  d: 2\n  # x\nc: 2\n"),
    "an empty section in braces": ("b: {c: {}}\n", (put(2, "b", "c", "d"),), "b: {c: {d: 2}}\n"),
    "an empty section in a section": ("a:\n  b: {}\n", (put(2, "a", "b", "d"),), "a:\n  b:\n    d: 2\n"),
    "a new key in braces": ("b: {c: 1}\n", (put(2, "b", "d"),), "b: {c: 1, d: 2}\n"),
    "a new key in braces with a comma": ("b: {c: 1,}\n", (put(2, "b", "d"),), "b: {c: 1, d: 2,}\n"),
    "a new key in braces of lines": ("b: {\n  c: 1\n}\n", (put(2, "b", "d"),), "b: {\n  c: 1,\n  d: 2\n}\n"),
    "a new key in braces below a comment": (
        "b: {\n  c: 1 # one\n}\n",
        (put(2, "b", "d"),),
        "b: {\n  c: 1, # one\n  d: 2\n}\n",
    ),
    "a new key in braces below a comma and a comment": (
        "b: {\n  c: 1, # one\n}\n",
        (put(2, "b", "d"),),
        "b: {\n  c: 1, # one\n  d: 2\n}\n",
    ),
    "a new key in a list": ("b:\n  - c: 1\n", (put(2, "b", 0, "d"),), "b:\n  - c: 1\n    d: 2\n"),
    "a new key in a text": ("b: x\n", (put(2, "b", "d"),), None),
    "a new key in an empty file": ("", (put(2, "b"),), None),
    "a new key in a file of comments": ("# x\n", (put(2, "b"),), None),
    "a new key in two documents": ("a: 1\n---\nb: 1\n", (put(2, "c"),), None),
    # several at one place
    "one comes for the only one": ("b:\n  c: 1\nd: 2\n", (out("b", "c"), put(2, "b", "e")), "b:\n  e: 2\nd: 2\n"),
    "the only one goes for one": ("b:\r\n  c: 1\r\n", (put(2, "b", "e"), out("b", "c")), "b:\r\n  e: 2\r\n"),
    "the last goes, one comes": ("b:\n  c: 1\n  d: 2\n", (out("b", "d"), put(2, "b", "e")), "b:\n  c: 1\n  e: 2\n"),
    "a section comes, another goes": ("b:\n  c: 1\n", (out("b"), put(2, "d", "e")), "d:\n  e: 2\n"),
    "neighbours in braces go": ("b: {c: 1, d: 2, e: 3}\n", (out("b", "c"), out("b", "d")), "b: {e: 3}\n"),
    "the last ones in braces go": ("b: {c: 1, d: 2, e: 3}\n", (out("b", "d"), out("b", "e")), "b: {c: 1}\n"),
    "one is impossible": ("b:\n  c: 1\n", (put(2, "b", "c"), out("b", "x")), None),
    # anchors, merge keys, duplicates
    "an anchored value": ("a: &q 1\nb: 2\n", (put(3, "b"),), "a: &q 1\nb: 3\n"),
    "an anchored value that is used": ("a: &q 1\nb: *q\n", (put(3, "a"),), None),
    "an anchored key goes that is used": ("a: &q 1\nb: *q\n", (out("a"),), None),
    "an alias": ("a: &q 1\nb: *q\n", (put(3, "b"),), None),
    "a key of an aliased section": ("a: &q\n  c: 1\nb: *q\n", (put(3, "b", "c"),), None),
    "a new key of an aliased section": ("a: &q\n  c: 1\nb: *q\n", (put(3, "b", "d"),), None),
    "a key of an aliased section goes": ("a: &q\n  c: 1\n  d: 1\nb: *q\n", (out("b", "c"),), None),
    "a merged key": ("a: &q\n  c: 1\nb:\n  <<: *q\n  d: 1\n", (put(3, "b", "c"),), None),
    "a merged key goes": ("a: &q\n  c: 1\nb:\n  <<: *q\n  d: 1\n", (out("b", "c"),), None),
    "a key over a merged one": (
        "a: &q\n  c: 1\nb:\n  <<: *q\n  c: 2\n",
        (put(3, "b", "c"),),
        "a: &q\n  c: 1\nb:\n  <<: *q\n  c: 3\n",
    ),
    "a key over a merged one goes": ("a: &q\n  c: 1\nb:\n  <<: *q\n  c: 2\n", (out("b", "c"),), None),
    "a repeated key": ("b: 1\nb: 2\n", (put(3, "b"),), "b: 1\nb: 3\n"),
    "a repeated key goes": ("a: 0\nb: 1\nb: 2\n", (out("b"),), None),
    "a repeated key gets a name": ("b: 1\nb: 2\n", (name("c", "b"),), None),
}

JSON: dict[str, tuple[str, tuple[Change, ...], str | None]] = {
    "a value": ('{"a": 1, "b": "x"}\n', (put("\u00e9", "b"),), '{"a": 1, "b": "\u00e9"}\n'),
    "a value of many": ('{"b": [1, 2]}', (put({"c": [True, None]}, "b"),), '{"b": {"c": [true, null]}}'),
    "a value in a list": ('{"b": [1, {"c": 2}]}', (put(3, "b", 1, "c"),), '{"b": [1, {"c": 3}]}'),
    "a name": ('{"b": 1}', (name("c", "b"),), '{"c": 1}'),
    "a name that is there": ('{"b": 1, "c": 2}', (name("c", "b"),), None),
    "a key": ('{"a": 1, "b": 2, "c": 3}', (out("b"),), '{"a": 1, "c": 3}'),
    "the first key": ('{"a": 1, "b": 2}', (out("a"),), '{"b": 2}'),
    "the last key": ('{"a": 1, "b": 2}', (out("b"),), '{"a": 1}'),
    "the only key": ('{"a": {"b": 2}}', (out("a", "b"),), '{"a": {}}'),
    "a line": ('{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', (out("b"),), '{\n  "a": 1,\n  "c": 3\n}\n'),
    "the last line": ('{\n  "a": 1,\n  "b": 2\n}\n', (out("b"),), '{\n  "a": 1\n}\n'),
    "the only line": ('{\n  "a": {\n    "b": 2\n  }\n}\n', (out("a", "b"),), '{\n  "a": {}\n}\n'),
    "a line of two": ('{\n  "a": 1, "b": 2\n}\n', (out("a"),), '{\n  "b": 2\n}\n'),
    "a CRLF line": ('{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n', (out("a"),), '{\r\n  "b": 2\r\n}\r\n'),
    "a new key": ('{"a": 1}', (put(2, "b"),), '{"a": 1, "b": 2}'),
    "a new key in nothing": ("{}\n", (put(2, "b"),), '{"b": 2}\n'),
    "a new line": ('{\n  "a": 1\n}\n', (put(2, "b"),), '{\n  "a": 1,\n  "b": 2\n}\n'),
    "a new line behind a section": (
        '{\n  "a": {\n    "c": 1\n  }\n}\n',
        (put(2, "b"),),
        '{\n  "a": {\n    "c": 1\n  },\n  "b": 2\n}\n',
    ),
    "a new line of tabs": (
        '{\n\t"a": {\n\t\t"c": 1\n\t}\n}',
        (put(2, "a", "d"),),
        '{\n\t"a": {\n\t\t"c": 1,\n\t\t"d": 2\n\t}\n}',
    ),
    "a new CRLF line": ('{\r\n  "a": 1\r\n}', (put(2, "b"),), '{\r\n  "a": 1,\r\n  "b": 2\r\n}'),
    "a new section": ('{"a": 1}', (put(2, "b", "c"), put(3, "b", "d")), '{"a": 1, "b": {"c": 2, "d": 3}}'),
    "an empty section": ('{"b": {}}', (put(2, "b", "c"),), '{"b": {"c": 2}}'),
    "an empty section of lines": ('{\n  "b": {\n  }\n}', (put(2, "b", "c"),), '{\n  "b": {"c": 2}\n}'),
    "a section of null": ('{"b": null}', (put(2, "b", "c"),), '{"b": {"c": 2}}'),
    "one goes, one comes": ('{\n  "a": 1,\n  "b": 2\n}', (out("b"), put(3, "c")), '{\n  "a": 1,\n  "c": 3\n}'),
    "one comes for the only one": ('{"a": {"b": 2}}', (out("a", "b"), put(3, "a", "c")), '{"a": {"c": 3}}'),
    "neighbours go": ('{"a": 1, "b": 2, "c": 3}', (out("a"), out("b")), '{"c": 3}'),
    "a comment stays": ('{\n  "a": 1 // one\n}\n', (put(2, "b"),), '{\n  "a": 1, // one\n  "b": 2\n}\n'),
    "a repeated key": ('{"b": 1, "b": 2}', (put(3, "b"),), '{"b": 1, "b": 3}'),
    "a repeated key goes": ('{"b": 1, "b": 2}', (out("b"),), None),
}


@pytest.mark.parametrize("case", YAML)
def test_yaml(case: str) -> None:
    text, changes, after = YAML[case]
    assert result(text, changes, "train.yaml") == after


@pytest.mark.parametrize("case", JSON)
def test_json(case: str) -> None:
    text, changes, after = JSON[case]
    assert result(text, changes, "ds.json") == after


@pytest.mark.parametrize("text", ["a: 1\nb:\n  c: 2 # two\n", "a: 1\r\nb:\r\n  c: 2\r\n", "a: 1\nb: {c: 2, d: 3}"])
def test_edits_touch_little(text: str) -> None:
    edits = edits_of(load(text.encode(), "a.yaml"), [put(5, "b", "c")])
    assert edits is not None
    assert [(text[edit.start : edit.end], edit.text) for edit in edits] == [("2", "5")]
