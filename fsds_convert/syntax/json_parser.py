"""A JSON parser that knows where each value stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # missing in typeshed
from typing import Any

from fsds_convert.syntax.limits import MAX_DEPTH, too_deep
from fsds_convert.syntax.problem import ProblemKind, Refused, SyntaxProblem, shown
from fsds_convert.syntax.repeated_keys import repeated_key
from fsds_convert.syntax.span import Lines, Span

_SPACE = re.compile(r"[ \t\n\r]*")
_COMMENT = re.compile(r"(?://|#)[^\n\r]*|/\*.*?\*/", re.DOTALL)
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[^\s,:\[\]{}\"'#/]+")
_CONSTANTS = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_STRING_ERRORS = (
    ("Unterminated string", "the string is not closed", 'close it with `"`'),
    ("Invalid control character", "a line break or tab inside a string", r"write `\n` or `\t`"),
    ("Invalid", "the backslash begins no escape of JSON", r"write `\\`"),
)

_FAILS = "Accelerate and Transformers read the file with json.load, which raises JSONDecodeError"
_FAILS_HERE_ONLY = f"{_FAILS}; DeepSpeed itself reads it, as HJSON"
_REPEATED = "json.load keeps the last one and says nothing; DeepSpeed raises ValueError where it reads the file itself"


@dataclass(frozen=True, slots=True)
class Node:
    """A value, its offsets, and what it holds: by name with the place of the key, or by index."""

    value: Any
    start: int
    end: int
    children: Mapping[Any, tuple[Span | None, Node]] = field(default_factory=dict)


class JsonParser:
    """Reads one document. `problems` are those that json.load would stop at and this parser does not."""

    def __init__(self, text: str, lines: Lines) -> None:
        self.problems: list[SyntaxProblem] = []
        self._text = text
        self._lines = lines

    def document(self) -> Node:
        """The value of the whole text; raises Refused."""
        at = self._skip(0)
        if at == len(self._text):
            raise self._refused("no value in the file", at, 'write `{"key": value}`', "empty")
        node = self._value(at, 1)
        at = self._skip(node.end)
        if at < len(self._text):
            raise self._refused("text behind the end of the JSON value", at, "remove it")
        return node

    def _value(self, at: int, depth: int) -> Node:
        text = self._text
        char = text[at : at + 1]
        if char == '"':
            value, end = self._string(at)
            return Node(value, at, end)
        if char in ("{", "["):
            if depth > MAX_DEPTH:
                raise too_deep(self._lines.span(at, at + 1))
            return self._object(at, depth) if char == "{" else self._array(at, depth)
        if number := _NUMBER.match(text, at):
            return Node(self._number(number), at, number.end())
        word = _WORD.match(text, at)
        if word is None or word.group() not in _CONSTANTS:
            raise self._no_value(at)
        return Node(_CONSTANTS[word.group()], at, word.end())

    def _object(self, start: int, depth: int) -> Node:
        value: dict[str, Any] = {}
        children: dict[str, tuple[Span | None, Node]] = {}
        at = self._skip(start + 1)
        while self._text[at : at + 1] != "}":
            if self._text[at : at + 1] != '"':
                raise self._no_key(at, start)
            key, end = self._string(at)
            span = self._lines.span(at, end)
            at = self._skip(end)
            if self._text[at : at + 1] != ":":
                raise self._refused(f'no `:` behind the key "{shown(key)}"', at, "write `:`")
            node = self._value(self._skip(at + 1), depth + 1)
            if key in children and (earlier := children[key][0]) is not None:
                self.problems.append(repeated_key(key, earlier, span, _REPEATED))
            value[key] = node.value
            children[key] = span, node
            at = self._next(node.end, start, "}")
        return Node(value, start, at + 1, children)

    def _array(self, start: int, depth: int) -> Node:
        value: list[Any] = []
        children: dict[int, tuple[Span | None, Node]] = {}
        at = self._skip(start + 1)
        while self._text[at : at + 1] != "]":
            node = self._value(at, depth + 1)
            children[len(value)] = None, node
            value.append(node.value)
            at = self._next(node.end, start, "]")
        return Node(value, start, at + 1, children)

    def _next(self, end: int, start: int, closing: str) -> int:
        """Where the next item, or the closing bracket, stands."""
        at = self._skip(end)
        char = self._text[at : at + 1]
        if char == closing:
            return at
        if char == "":
            raise self._not_closed(start)
        if char != ",":
            raise self._refused(f"neither `,` nor `{closing}` behind this value", end - 1, "write a comma behind it")
        behind = self._skip(at + 1)
        if self._text[behind : behind + 1] == closing:
            self._tolerate("json-trailing-comma", f"a comma before `{closing}`", at, at + 1, "remove the comma")
        return behind

    def _skip(self, at: int) -> int:
        """Over white space and comments."""
        while True:
            at = _SPACE.match(self._text, at).end()  # type: ignore[union-attr]  # matches nothing, too
            if self._text[at : at + 1] not in ("/", "#"):
                return at
            comment = _COMMENT.match(self._text, at)
            if comment is None:
                opened = self._text.startswith("/*", at)
                message, remedy = (
                    ("`/*` is not closed", "close it with `*/`") if opened else ("a single `/`", "remove it")
                )
                raise self._refused(message, at, remedy)
            self._tolerate("json-comment", "a comment", at, comment.end(), "remove the comment")
            at = comment.end()

    def _string(self, at: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self._text, at + 1, True)
        except JSONDecodeError as error:
            known = (known for known in _STRING_ERRORS if error.msg.startswith(known[0]))
            _, message, remedy = next(known, ("", error.msg, "mend the string"))
            raise self._refused(message, error.pos, remedy) from error
        return value, end

    def _number(self, number: re.Match[str]) -> int | float:
        integer, fraction, exponent = number.groups()
        if fraction or exponent:
            return float(number.group())
        try:
            return int(integer)
        except ValueError as error:  # Python reads no integer of more than 4300 digits
            raise self._refused(str(error), number.start(), "write a shorter number", "bad-value") from error

    def _no_value(self, at: int) -> Refused:
        word = _WORD.match(self._text, at)
        if word is None:
            char = self._text[at : at + 1]
            if char == "'":
                return self._refused("a string in single quotes", at, "use double quotes")
            return self._refused(f"`{char}` where a value must stand" if char else "the file ends here", at, "write it")
        if word.group() in _PYTHON:
            name = _PYTHON[word.group()]
            return self._refused(f"`{word.group()}` is Python", at, f"write `{name}`")
        return self._refused(f"`{shown(word.group())}` is no value of JSON", at, "write it in double quotes")

    def _no_key(self, at: int, start: int) -> Refused:
        char = self._text[at : at + 1]
        if not char:
            return self._not_closed(start)
        if char == ",":
            return self._refused("a comma without a value before it", at, "remove it")
        return self._refused("a key without double quotes", at, "write it in double quotes")

    def _not_closed(self, start: int) -> Refused:
        opening = self._text[start]
        closing = "}" if opening == "{" else "]"
        return self._refused(f"`{opening}` is not closed", start, f"close it with `{closing}`")

    def _tolerate(self, kind: ProblemKind, message: str, start: int, end: int, remedy: str) -> None:
        span = self._lines.span(start, end)
        self.problems.append(SyntaxProblem(kind, message, span, _FAILS_HERE_ONLY, remedy))

    def _refused(self, message: str, at: int, remedy: str, kind: ProblemKind = "syntax") -> Refused:
        return Refused(SyntaxProblem(kind, message, self._lines.span(at, at + 1), _FAILS, remedy))
