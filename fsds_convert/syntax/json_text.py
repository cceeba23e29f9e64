"""JSON text -> values and places, as json.load reads it, and beyond that with comments and trailing commas."""

from __future__ import annotations

from fsds_convert.syntax import templates
from fsds_convert.syntax.json_parser import JsonParser, Node
from fsds_convert.syntax.limits import check_size
from fsds_convert.syntax.problem import Parsed, Refused
from fsds_convert.syntax.span import Lines, Path, Span
from fsds_convert.syntax.top_level import not_a_mapping


def parse_json(text: str) -> Parsed:
    """What json.load gives for the text, and where it stands; every failure is a problem, and data then None."""
    try:
        check_size(text)
        lines = Lines(text)
        parser = JsonParser(text, lines)
        root = _document(parser, text, lines)
    except Refused as refused:
        return Parsed(problems=(refused.problem,))
    keys: dict[Path, Span] = {}
    values: dict[Path, Span] = {}
    _collect(root, (), lines, keys, values)
    problems = [
        *not_a_mapping(root.value, lines.point(root.start)),
        *parser.problems,
        *templates.unfilled(text, lines, keys, values),
    ]
    return Parsed(root.value, keys, values, tuple(problems))


def _document(parser: JsonParser, text: str, lines: Lines) -> Node:
    try:
        return parser.document()
    except Refused as refused:
        template = templates.cause(text, lines, refused.problem)
        raise Refused(template) if template and refused.problem.kind == "syntax" else refused from None


def _collect(node: Node, path: Path, lines: Lines, keys: dict[Path, Span], values: dict[Path, Span]) -> None:
    values[path] = lines.span(node.start, node.end)
    for name, (key, child) in node.children.items():
        inner = (*path, name)
        if key is not None:
            keys[inner] = key
        _collect(child, inner, lines, keys, values)
