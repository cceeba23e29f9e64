"""A file's text, its values, and where each of them stands."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fsds_convert.syntax.decoding import Decoded, decode
from fsds_convert.syntax.json_text import parse_json
from fsds_convert.syntax.problem import Parsed, SyntaxProblem
from fsds_convert.syntax.span import START, Path, Span
from fsds_convert.syntax.yaml_text import parse_yaml

Format = Literal["yaml", "json"]

SUFFIXES: dict[str, Format] = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}
_LIKE_JSON = re.compile(r"\s*(?:[{\[]|//|/\*)")
_CERTAINLY_JSON = re.compile(r'\s*(?:\{\s*["/]|//|/\*)')


@dataclass(frozen=True, eq=False)
class Source:
    """`data` is what yaml.safe_load or json.load gives; a text that only fsds can read says so in `problems`.

    `text` has no byte-order mark, and its line breaks as they are. `keys` and `values` lead from a path to the place
    where it is written, which for merged and aliased values is that of the anchor.
    """

    name: str
    path: pathlib.Path | None
    text: str
    encoding: str
    bom: bool
    format: Format
    data: Any
    keys: Mapping[Path, Span] = field(repr=False)
    values: Mapping[Path, Span] = field(repr=False)
    problems: tuple[SyntaxProblem, ...] = ()

    def span(self, path: Path, *, key: bool = False) -> Span | None:
        """Where a value, or its key, stands; the key for an alias, whose value stands at the anchor."""
        name, value = self.keys.get(path), self.values.get(path)
        if key or value is None or (name is not None and value.start < name.start):
            return name or value
        return value

    def at(self, path: Path) -> Any:
        """The value that a path leads to; raises KeyError, IndexError or TypeError where it leads nowhere."""
        value = self.data
        for part in path:
            value = value[part]
        return value

    def number_or_boolean(self, path: Path) -> str:
        """A number or a boolean in the words of the file: `no` and `1e8`, not what YAML makes of them; else nothing."""
        if path not in self.values or not isinstance(self.at(path), (bool, int, float)):
            return ""
        raw = self.raw(path)
        return raw if raw.isprintable() and not raw.startswith(("&", "*", "!")) else ""

    def raw(self, path: Path) -> str:
        """The value at `path` as it is written; raises KeyError when there is none."""
        span = self.values[path]
        return self.text[span.start : span.end]


def load(content: bytes, name: str, path: pathlib.Path | None = None, format: Format | None = None) -> Source:
    """Reads a file's content; raises InputError when it is not text. Whatever else is wrong is in `problems`."""
    decoded = decode(content, name)
    format = format or SUFFIXES.get(pathlib.PurePath(name).suffix)
    format, parsed = _parse_as(format, decoded.text) if format else _detect(decoded.text)
    return Source(
        name=name,
        path=path,
        text=decoded.text,
        encoding=decoded.encoding,
        bom=decoded.bom,
        format=format,
        data=parsed.data,
        keys=parsed.keys,
        values=parsed.values,
        problems=(*_encoding_problems(decoded, format), *parsed.problems),
    )


def _parse_as(format: Format, text: str) -> tuple[Format, Parsed]:
    return format, parse_json(text) if format == "json" else parse_yaml(text)


def _detect(text: str) -> tuple[Format, Parsed]:
    """YAML, as for every name without .json, unless the text begins like JSON and can be read as such."""
    if not _LIKE_JSON.match(text):
        return _parse_as("yaml", text)
    as_json = parse_json(text)
    if as_json.data is None:
        as_yaml = parse_yaml(text)
        if as_yaml.data is not None or not _CERTAINLY_JSON.match(text):
            return "yaml", as_yaml
    return "json", as_json


def _encoding_problems(decoded: Decoded, format: Format) -> list[SyntaxProblem]:
    if decoded.encoding != "utf-8":
        message, consequence = f"{decoded.encoding.upper()} text", "Accelerate raises UnicodeDecodeError"
    elif decoded.bom and format == "json":
        message, consequence = "a byte-order mark before the JSON", "json.load raises JSONDecodeError"
    else:
        return []
    return [SyntaxProblem("encoding", message, START, consequence, "save it as UTF-8 without a byte-order mark")]
