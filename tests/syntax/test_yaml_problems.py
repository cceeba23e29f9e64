"""What is wrong with a YAML text, and what is read of it nevertheless."""

from __future__ import annotations

from typing import Any

import pytest

from fsds_convert.syntax.yaml_text import parse_yaml

# text, kind, the text that the problem stands at, a part of the message, the exception of yaml.safe_load
UNREADABLE = [
    ("a: [1, 2", "syntax", "[", "`[` is not closed", "ParserError"),
    ("a: {b: 1", "syntax", "{", "`{` is not closed", "ParserError"),
    ("a: {b: 1\nc: 2}", "syntax", ":", "closing bracket", "ParserError"),
    ("a: [", "syntax", "", "the file ends", "ParserError"),
    ("a: 'x\nb: 1", "syntax", "'", "quote is not closed", "ScannerError"),
    ('a: "x\\q"', "syntax", "q", "backslash", "ScannerError"),
    ("a: b: c", "syntax", ":", "`:` where none may stand", "ScannerError"),
    ("a: 1\n  b: 2", "syntax", ":", "`:` where none may stand", "ScannerError"),
    ("a:\n  b: 1\n c: 2", "syntax", "c", "does not fit", "ParserError"),
    ("- 1\na: 2", "syntax", "a", "does not fit", "ParserError"),
    ("a: 1\nb\nc: 2", "syntax", "b", "neither `key: value`", "ScannerError"),
    ("a: @x", "syntax", "@", "no value begins with `@`", "ScannerError"),
    ("a: %x", "syntax", "%", "no value begins with `%`", "ScannerError"),
    ("a: *.json", "syntax", "*", "no name behind", "ScannerError"),
    ("a: *x", "syntax", "*", "no anchor above", "ComposerError"),
    ("a: &x 1\nb: &x 2", "syntax", "&", "second time", "ComposerError"),
    ("a: ]", "syntax", "]", "`]` where a value must begin", "ParserError"),
    ("a: 1\n...\nb: 2", "syntax", "b", "behind the end", "ParserError"),
    ("a: >x", "syntax", "x", "behind `|` or `>`", "ScannerError"),
    ("? [a]\n: 1", "syntax", "[", "as a key", "ConstructorError"),
    ("<<: 1\na: 2", "syntax", "1", "merges mappings only", "ConstructorError"),
    ("%YAML 3.0\n--- a", "syntax", "%", "version", "ParserError"),
    ("a: \x07", "syntax", "\x07", "U+0007", "ReaderError"),
    ("a:\n\tb: 1", "tab", "\t", "a tab", "ScannerError"),
    ("a: 1\n---\nb: 2", "multiple-documents", "-", "second document", "ComposerError"),
    ("a: !foo 1", "unknown-tag", "!", "'!foo'", "ConstructorError"),
    ("a: !!python/object/apply:os.getcwd []", "unknown-tag", "!", "python/object", "ConstructorError"),
    ("b: 1\na: 2024-99-99", "bad-value", "2", "month", "ValueError"),
    ("a: !!int x", "bad-value", "!", "invalid literal", "ValueError"),
    ("a: !!int ''", "bad-value", "!", "cannot be read", "IndexError"),
    ("a: !!bool maybe", "bad-value", "!", "maybe", "KeyError"),
    ("a: !!timestamp x", "bad-value", "!", "cannot be read", "AttributeError"),
    ("a: !!binary x", "bad-value", "!", "base64", "ConstructorError"),
    ('"\\U00110000"', "bad-value", '"', "chr()", "ValueError"),
    ("a: {{ x }}", "template", "{{ x }}", "`{{ x }}`", "ConstructorError"),
    ("a: {{x}}/y", "template", "{{x}}", "`{{x}}`", "ParserError"),
    ("{% if x %}\na: 1\n{% endif %}", "template", "{% if x %}", "`{% if x %}`", "ScannerError"),
    ("<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n", "template", "<<<<<<< HEAD", "merge conflict", "ScannerError"),
]


@pytest.mark.parametrize(("text", "kind", "at", "message", "raised"), UNREADABLE)
def test_unreadable(text: str, kind: str, at: str, message: str, raised: str, loader: Any) -> None:
    parsed = parse_yaml(text, loader)
    assert (parsed.data, dict(parsed.keys), dict(parsed.values)) == (None, {}, {})
    (problem,) = parsed.problems
    assert problem.kind == kind
    assert text[problem.span.start : problem.span.end] == at
    assert message in problem.message
    assert problem.consequence == f"yaml.safe_load raises {raised}"
    assert problem.remedy


READABLE = [
    ("a: 1\nb: 2\na: 3", {"a": 3, "b": 2}, [("duplicate-key", "a", "written again on line 3")]),
    ("a: 1\na: 2\na: 3", {"a": 3}, [("duplicate-key", "a", "line 2"), ("duplicate-key", "a", "line 3")]),
    ("no: 1\nfalse: 2", {False: 2}, [("duplicate-key", "no", "line 2")]),
    ("x: &x {a: 1}\ny: {a: 2, <<: *x}\nz: *x", {"x": {"a": 1}, "y": {"a": 2}, "z": {"a": 1}}, []),
    ("x: &x {a: 1, a: 2}\ny: *x", {"x": {"a": 2}, "y": {"a": 2}}, [("duplicate-key", "a", "line 1")]),
    ("<<: {a: 1}\n<<: {b: 2}", {"a": 1, "b": 2}, []),
    ("a: ${N}\n# ${M}", {"a": "${N}"}, [("template", "${N}", "`${N}`")]),
    ("b: 'x{{y}}'", {"b": "x{{y}}"}, [("template", "{{y}}", "`{{y}}`")]),
    ("a: 1 # {{ x }}", {"a": 1}, []),
    ("", None, [("empty", "", "no value")]),
    ("# c\n---\n", None, [("empty", "", "no value")]),
    ("- 1\n- 2\n", [1, 2], [("not-a-mapping", "", "a list at the top")]),
    ("a:1\nb:2\n", "a:1 b:2", [("not-a-mapping", "", "a single value at the top")]),
    ("~", None, [("not-a-mapping", "", "a single value at the top")]),
]


@pytest.mark.parametrize(("text", "data", "problems"), READABLE)
def test_readable(text: str, data: Any, problems: list[tuple[str, str, str]], loader: Any) -> None:
    parsed = parse_yaml(text, loader)
    assert parsed.data == data
    assert [(problem.kind, text[problem.span.start : problem.span.end]) for problem in parsed.problems] == [
        (kind, at) for kind, at, _ in problems
    ]
    assert all(part in problem.message for problem, (_, _, part) in zip(parsed.problems, problems, strict=True))


@pytest.mark.parametrize("text", ["a:\t1", "a: 1\t", "a: [\t1]", "a: b\tc"])
def test_tab_that_only_the_c_parser_takes(text: str, loader: Any) -> None:
    parsed = parse_yaml(text, loader)
    (problem,) = parsed.problems
    assert (problem.kind, text[problem.span.start : problem.span.end]) == ("tab", "\t")
    assert parsed.data is None or list(parsed.data) == ["a"]


@pytest.mark.parametrize("text", ["a: 1 # b\tc", "a: 'b\tc'", "a: |\n  b\tc"])
def test_tab_that_does_no_harm(text: str, loader: Any) -> None:
    assert parse_yaml(text, loader).problems == ()


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a: no\nb: ON\nc: 'no'", {"a": False, "b": True, "c": "no"}),
        ("a: 010\nb: 1:30\nc: 0x1F\nd: 1_000", {"a": 8, "b": 90, "c": 31, "d": 1000}),
        ("a: 1e-5\nb: 5e8\nc: 1.0e-5", {"a": "1e-5", "b": "5e8", "c": 1e-05}),
        ("a: !!set {x, y}", {"a": {"x", "y"}}),
        ("a: !!omap [x: 1]", {"a": [("x", 1)]}),
        ("'\\ud800': \"\\ud800\"", {"\\ud800": "\ud800"}),
        ("a: 1\n\ufeffb: 2", {"a": 1, "\ufeffb": 2}),
    ],
)
def test_values_are_those_of_yaml_1_1(text: str, data: Any, loader: Any) -> None:
    parsed = parse_yaml(text, loader)
    assert (parsed.data, parsed.problems) == (data, ())
