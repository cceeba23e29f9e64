"""PyYAML's errors in plain words."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml
from yaml.reader import Reader

from fsds_convert.syntax.problem import ProblemKind, SyntaxProblem, shown
from fsds_convert.syntax.span import Lines
from fsds_convert.syntax.yaml_loader import BadValue


@dataclass(frozen=True)
class _Plain:
    """For an error whose text has `pattern`. {char} is what stands at the place, `{text}` PyYAML's own words."""

    pattern: str
    message: str
    remedy: str
    kind: ProblemKind = "syntax"
    at_opening: bool = False


_NO_CONSTRUCTOR = "could not determine a constructor for the tag "

# both the pure and the C parser's words
_PLAIN = (
    _Plain(r"character '\\t'", "a tab where only spaces may stand", "replace the tab by spaces", kind="tab"),
    _Plain("mapping values are not allowed", "a `:` where none may stand", "quote the value, or mend the indentation"),
    _Plain(
        "expected <block end>|did not find expected (key|'-')",
        "does not fit the lines above it",
        "give all keys of a block the same indentation",
    ),
    _Plain(
        "could not find expected ':'",
        "neither `key: value` nor a list item",
        "write a space after each `:`, or mend the indentation",
        at_opening=True,
    ),
    _Plain("cannot start any token", "no value begins with {char}", "quote the value"),
    _Plain(r"expected ',' or '\]', but got '<stream end>", "`[` is not closed", "close it with `]`", at_opening=True),
    _Plain("expected ',' or '}', but got '<stream end>", "`{{` is not closed", "close it with `}`", at_opening=True),
    _Plain("expected ',' or", "neither a comma nor the closing bracket before this", "write a comma"),
    _Plain("found unexpected (end of stream|document)", "the quote is not closed", "close the quote", at_opening=True),
    _Plain("unknown escape character", "the backslash begins no escape of YAML", "double it, or use single quotes"),
    _Plain("undefined alias", "no anchor above has the name of this alias", "quote the value if it is no alias"),
    _Plain("alphabetic or numeric", "no name behind `&`, `*` or `%`", "quote the value", at_opening=True),
    _Plain("second occurrence", "the anchor is set a second time", "give it another name"),
    _Plain("node content, but found '<stream end>", "the file ends where a value must stand", "close the brackets"),
    _Plain("expected (the )?node content", "{char} where a value must begin", "quote the value"),
    _Plain("another document", "a second document begins", "keep one document in the file", kind="multiple-documents"),
    _Plain("<document start>", "text behind the end of the document", "mend the indentation"),
    _Plain("chomping or indent|comment or line break", "text right behind `|` or `>`", "begin it on the next line"),
    _Plain("unhashable key", "a list or mapping as a key", "quote the key"),
    _Plain(_NO_CONSTRUCTOR, "a tag that yaml.safe_load does not know: {text}", "remove it", kind="unknown-tag"),
    _Plain("for merging", "`<<` merges mappings only", "give it the alias of a mapping"),
    _Plain("base64", "not base64, which `!!binary` asks for", "remove the tag", kind="bad-value"),
)


def explain(error: yaml.YAMLError, text: str, lines: Lines) -> SyntaxProblem:
    """The problem that PyYAML stopped at."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return _unprintable(text, lines)  # a ReaderError, the only one without a mark
    words = error.problem or str(error)
    at = _offset(error, at_opening=False)
    if text[at : at + 1] == "\t":
        words = words.replace("character that", r"character '\t' that")
    plain = next((plain for plain in _PLAIN if re.search(plain.pattern, words)), None)
    if isinstance(error, BadValue):
        plain = _Plain("", "cannot be read: {text}", "quote the value if it is text", kind="bad-value")
    elif plain is None:
        plain = _Plain("", "{text}", "mend the line")
    at = _offset(error, plain.at_opening)
    char = f"`{text[at]}`" if text[at : at + 1].strip() else "the end of the line"
    text_shown = shown(words.removeprefix(_NO_CONSTRUCTOR).replace("tag:yaml.org,2002:", "!!"))
    message = plain.message.format(char=char, text=text_shown)
    raised = type(error.__cause__ if isinstance(error, BadValue) else error).__name__
    return SyntaxProblem(plain.kind, message, lines.span(at, at + 1), f"yaml.safe_load raises {raised}", plain.remedy)


def _offset(error: yaml.MarkedYAMLError, at_opening: bool) -> int:
    marks = (error.context_mark, error.problem_mark) if at_opening else (error.problem_mark, error.context_mark)
    return next((mark.index for mark in marks if mark is not None), 0)


def _unprintable(text: str, lines: Lines) -> SyntaxProblem:
    found = Reader.NON_PRINTABLE.search(text)
    at = found.start() if found else 0
    message = f"control character U+{ord(text[at]):04X}"
    return SyntaxProblem("syntax", message, lines.span(at, at + 1), "yaml.safe_load raises ReaderError", "remove it")
