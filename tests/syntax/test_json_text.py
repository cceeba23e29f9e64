"""JSON as json.load reads it, and what it does not take."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from fsds_convert.syntax.json_text import parse_json
from fsds_convert.syntax.span import Path

STRICT = [
    "{}",
    ' {"a": [1, -2.5, 1e5, 1E-5, 0, -0, true, false, null, ""]} \r\n',
    '{"a": {"b": {"c": [[], {}]}}}',
    '{"\\u00e9\\n\\"\\/": "\\ud83d\\ude00 \\ud800 😀"}',
    '{"a": NaN, "b": Infinity, "c": -Infinity}',
    '{"a": 1, "b": 2, "a": {"c": 3}}',
    "\t[1]\t",
    '"text"',
    "12345678901234567890",
]


@pytest.mark.parametrize("text", STRICT)
def test_strict_json_is_what_json_loads_gives(text: str) -> None:
    parsed = parse_json(text)
    assert repr(parsed.data) == repr(json.loads(text))
    assert not {problem.kind for problem in parsed.problems} - {"duplicate-key", "not-a-mapping"}


def test_positions() -> None:
    text = '{\r\n  "é😀": {"b": [1, {"c": "x"}]},\r\n  "d": -1.5e3\r\n}\r\n'
    parsed = parse_json(text)
    values: dict[Path, str] = {
        (): text.strip(),
        ("é😀",): '{"b": [1, {"c": "x"}]}',
        ("é😀", "b"): '[1, {"c": "x"}]',
        ("é😀", "b", 0): "1",
        ("é😀", "b", 1): '{"c": "x"}',
        ("é😀", "b", 1, "c"): '"x"',
        ("d",): "-1.5e3",
    }
    assert {path: text[span.start : span.end] for path, span in parsed.values.items()} == values
    assert [text[span.start : span.end] for span in parsed.keys.values()] == ['"é😀"', '"b"', '"c"', '"d"']
    assert (parsed.keys["d",].line, parsed.keys["d",].column) == (3, 3)


TOLERATED = [
    ('{"a": 1, // c\n"b": 2}', {"a": 1, "b": 2}, [("json-comment", "// c")]),
    ('# c\r\n{"a": 1}# d', {"a": 1}, [("json-comment", "# c"), ("json-comment", "# d")]),
    ('{/* c\n */"a" /**/ : 1}', {"a": 1}, [("json-comment", "/* c\n */"), ("json-comment", "/**/")]),
    ('{"a": [1, 2,], }', {"a": [1, 2]}, [("json-trailing-comma", ","), ("json-trailing-comma", ",")]),
    ('{"a": "// no, # no",}', {"a": "// no, # no"}, [("json-trailing-comma", ",")]),
]


@pytest.mark.parametrize(("text", "data", "problems"), TOLERATED)
def test_comments_and_trailing_commas_are_read_and_reported(text: str, data: Any, problems: list[Any]) -> None:
    parsed = parse_json(text)
    assert parsed.data == data
    assert [(problem.kind, text[problem.span.start : problem.span.end]) for problem in parsed.problems] == problems
    assert all("json.load, which raises JSONDecodeError" in problem.consequence for problem in parsed.problems)
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)


UNREADABLE = [
    ("", "empty", "", "no value"),
    (" // c\n", "empty", "", "no value"),
    ("{", "syntax", "{", "`{` is not closed"),
    ('{"a": [1', "syntax", "[", "`[` is not closed"),
    ('{"a": 1', "syntax", "{", "`{` is not closed"),
    ('{"a"', "syntax", "", "no `:`"),
    ('{"a":', "syntax", "", "the file ends here"),
    ('{"a" 1}', "syntax", "1", 'no `:` behind the key "a"'),
    ('{"a": 1 "b": 2}', "syntax", "1", "neither `,` nor `}` behind this value"),
    ('{"a": [1 2]}', "syntax", "1", "neither `,` nor `]` behind this value"),
    ('{"a": 01}', "syntax", "0", "neither `,`"),
    ('{"a": 1,, "b": 2}', "syntax", ",", "a comma without a value"),
    ("{a: 1}", "syntax", "a", "a key without double quotes"),
    ("{'a': 1}", "syntax", "'", "a key without double quotes"),
    ("{\"a\": 'b'}", "syntax", "'", "single quotes"),
    ('{"a": True}', "syntax", "T", "`True` is Python"),
    ('{"a": None}', "syntax", "N", "`None` is Python"),
    ('{"a": BATCH_SIZE}', "syntax", "B", "`BATCH_SIZE` is no value of JSON"),
    ('{"a": .5}', "syntax", ".", "no value of JSON"),
    ('{"a": -}', "syntax", "-", "no value of JSON"),
    ('{"a": ]', "syntax", "]", "`]` where a value must stand"),
    ('{"a": "b', "syntax", '"', "the string is not closed"),
    ('{"a": "b\nc"}', "syntax", "\n", "a line break or tab inside a string"),
    ('{"a": "\\q"}', "syntax", "\\", "no escape of JSON"),
    ('{"a": "\\u12"}', "syntax", "u", "no escape of JSON"),
    ('{"a": 1} x', "syntax", "x", "behind the end"),
    ('{"a": 1 /* c', "syntax", "/", "`/*` is not closed"),
    ('{"a": 1 / 2}', "syntax", "/", "a single `/`"),
    ('{"a": ' + "9" * 5000 + "}", "bad-value", "9", "4300"),
    ('{"a": ${N}}', "template", "${N}", "`${N}`"),
    ('{"a": {{ n }}}', "template", "{{ n }}", "`{{ n }}`"),
    ('{\n<<<<<<< a\n"b": 1\n=======\n"b": 2\n>>>>>>> c\n}', "template", "<<<<<<< a", "merge conflict"),
]


@pytest.mark.parametrize(("text", "kind", "at", "message"), UNREADABLE)
def test_unreadable(text: str, kind: str, at: str, message: str) -> None:
    parsed = parse_json(text)
    assert (parsed.data, dict(parsed.keys), dict(parsed.values)) == (None, {}, {})
    (problem,) = parsed.problems
    assert problem.kind == kind
    assert text[problem.span.start : problem.span.end] == at
    assert message in problem.message
    assert problem.consequence
    assert problem.remedy


def test_duplicate_keys_keep_the_last_and_report_the_earlier() -> None:
    text = '{"a": {"b": 1},\n "a": 2}'
    parsed = parse_json(text)
    assert parsed.data == {"a": 2}
    assert set(parsed.values) == {(), ("a",)}
    assert parsed.keys["a",].line == 2
    (problem,) = parsed.problems
    assert (problem.kind, problem.span.line) == ("duplicate-key", 1)
    assert "DeepSpeed raises ValueError" in problem.consequence


def test_template_inside_a_string() -> None:
    text = '{"a": "${N}", "b": 1}'
    (problem,) = parse_json(text).problems
    assert (problem.kind, text[problem.span.start : problem.span.end]) == ("template", "${N}")


def test_float_beyond_range() -> None:
    assert parse_json('{"a": 1e999}').data == {"a": math.inf}
