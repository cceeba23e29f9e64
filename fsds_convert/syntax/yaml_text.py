"""YAML text -> values and places, as yaml.safe_load reads it (YAML 1.1, merge keys applied, the last of equal keys)."""

from __future__ import annotations

from typing import Any

import yaml

from fsds_convert.syntax import templates
from fsds_convert.syntax.limits import check_size, too_deep
from fsds_convert.syntax.problem import Parsed, Refused, SyntaxProblem
from fsds_convert.syntax.span import START, Lines
from fsds_convert.syntax.top_level import no_value, not_a_mapping
from fsds_convert.syntax.yaml_errors import explain
from fsds_convert.syntax.yaml_limits import check_depth
from fsds_convert.syntax.yaml_loader import Document, PureLoader, loader_class, read_document
from fsds_convert.syntax.yaml_positions import Positions

# the pure parser takes about 2 microseconds a character
_MAX_PURE = 200_000


def parse_yaml(text: str, loader_type: Any = None) -> Parsed:
    """What yaml.safe_load gives for the text, and where it stands; every failure is a problem, and data then None."""
    # the C parser drops a byte-order mark within the text (files joined by `cat`), the pure one reads it as a letter
    loader_type = PureLoader if "\ufeff" in text else loader_type or loader_class()
    try:
        check_size(text)
        lines = Lines(text)
        check_depth(text, lines, loader_type)
        document = _read(text, lines, loader_type)
    except Refused as refused:
        return Parsed(problems=(refused.problem,))
    except RecursionError:
        return Parsed(problems=(too_deep(START).problem,))
    places = Positions(text, lines, document)
    problems = [
        *_top_level(document, lines),
        *places.problems,
        *_tabs(text, lines, loader_type),
        *templates.unfilled(text, lines, places.keys, places.values),
    ]
    return Parsed(document.data, places.keys, places.values, tuple(problems))


def _read(text: str, lines: Lines, loader_type: Any) -> Document:
    """The document; raises Refused. What the C parser does not take is left to the pure one, which upstream uses."""
    try:
        return read_document(text, lines, loader_type)
    except yaml.YAMLError as error:
        if loader_type is not PureLoader and len(text) <= _MAX_PURE:
            return _read(text, lines, PureLoader)
        problem = explain(error, text, lines)
        raise Refused(templates.cause(text, lines, problem) or problem) from error


def _top_level(document: Document, lines: Lines) -> list[SyntaxProblem]:
    root = document.root
    if root is None or (document.data is None and root.start_mark.index == root.end_mark.index):
        return [no_value()]
    return not_a_mapping(document.data, lines.point(root.start_mark.index))


def _tabs(text: str, lines: Lines, loader_type: Any) -> list[SyntaxProblem]:
    """A tab between tokens passes the C parser only."""
    if "\t" not in text or loader_type is PureLoader or len(text) > _MAX_PURE:
        return []
    try:
        for _ in yaml.parse(text, PureLoader):
            pass
    except yaml.YAMLError as error:
        return [explain(error, text, lines)]
    return []
