"""The JSON files that TrainingArguments name."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any

from fsds_convert.errors import FsdsError
from fsds_convert.syntax.read_file import read_source
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Path


@dataclass(frozen=True)
class Held:
    """What an argument holds or names: the mapping `data` at the path `at` of `source`.

    `data` is None where it could not be read, for the reason `why`; it is empty where it was given as one text.
    `beside` says that the file was found next to the one that names it, not in the working directory.
    """

    source: Source
    data: Mapping[Any, Any] | None
    at: Path = ()
    why: str = ""
    hint: str = ""
    beside: bool = False

    @property
    def named(self) -> bool:
        """Whether it is a file of its own."""
        return not self.at

    def alone(self) -> Source:
        """The mapping as if it were a file of its own; a place in it is one in the file that holds it."""
        length = len(self.at)
        keys, values = (
            {path[length:]: span for path, span in spans.items() if path[:length] == self.at}
            for spans in (self.source.keys, self.source.values)
        )
        return self.source if self.named else replace(self.source, data=self.data, keys=keys, values=values)


def held(source: Source, argument: str) -> Held | None:
    """The mapping of an argument, or the JSON file that it names; None when it holds neither."""
    written, at = source.data.get(argument), (argument,)
    if isinstance(written, Mapping):
        return Held(source, written, at)
    if not isinstance(written, str) or not written:
        return None
    if _is_json(written) or (argument == "deepspeed" and _is_base64(written)):
        return Held(source, {}, at)
    found = _find(written, source.path)
    if found is None:
        return Held(source, None, at, f"`{written}` is not there", "write a path that exists where the job starts")
    try:
        read = read_source(found, format="json")
    except FsdsError as error:
        return Held(source, None, at, error.message, error.hint)
    if not isinstance(read.data, dict):
        problem = next(iter(read.problems), None)
        return Held(
            source, None, at, f"`{written}`: {problem.message if problem else 'no mapping'}", "write valid JSON"
        )
    return Held(read, read.data, beside=found != written)


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _is_base64(text: str) -> bool:
    try:
        return _is_json(base64.urlsafe_b64decode(text).decode("utf-8"))
    except ValueError:  # neither base64 nor text
        return False


def _find(written: str, beside: FilePath | None) -> str | None:
    candidates = [written, *([str(beside.parent / written)] if beside is not None else [])]
    return next((path for path in candidates if os.path.isfile(path)), None)
