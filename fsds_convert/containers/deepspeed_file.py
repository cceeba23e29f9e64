"""The DeepSpeed JSON that an Accelerate file names, or holds as one text."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsds_convert.containers.detect import unreadable
from fsds_convert.diagnostics import Diagnostic, Place, finding
from fsds_convert.errors import FsdsError
from fsds_convert.settings.read_section import Reader
from fsds_convert.syntax.read_file import read_source
from fsds_convert.syntax.source import Source, load

_NAME = "deepspeed_config_file"
_WHERE = "write a path that exists where the job starts, and start fsds there"
_LONGEST_NAME = 255


@dataclass(frozen=True)
class Named:
    """The file as named (`written`) and as read; `source` is None when it was not found or not readable.

    A text that is the JSON itself has a source without a path, called `deepspeed_config_file`.
    """

    written: str
    source: Source | None


def named_file(reader: Reader, section: Mapping[Any, Any]) -> tuple[Named | None, list[Diagnostic]]:
    """Looks where Accelerate does, in the working directory, else takes it for the JSON itself, plain or in base64.

    Where neither holds, a file next to this one is read, with a warning.
    """
    written = str(section.get(_NAME) or "none")
    if written == "none":
        return None, []
    place = reader.place(("deepspeed_config", _NAME))
    found, findings = _find(written, reader.source.path), []
    if found is None and isinstance(section[_NAME], str) and (held := _held(written)) is not None:
        return _checked(written, held, place, [])
    if found is None:
        text, help = f"the DeepSpeed config `{_shown(written)}` is not there", _WHERE
        if not isinstance(section[_NAME], str):
            text, help = f"`{_NAME}: {_shown(written)}` is no path", "write the path of the JSON, or its text in quotes"
        elif _looks_held(written):
            text, help = "the text of `deepspeed_config_file` is no JSON that can be read", "write the path of a file"
        note = (
            "ValueError: Expected a string path to an existing deepspeed config, or a dictionary, or a base64 encoded "
            "string"
        )
        return Named(written, None), [finding("deepspeed-file-not-found", text, place, note=note, help=help)]
    if not os.path.isfile(written):
        text = f"`{written}` lies next to this file, not in the working directory"
        note = "accelerate launch looks only in the directory that the job starts in"
        findings = [finding("deepspeed-file-beside-the-yaml", text, place, note=note, help="start the job there")]
    try:
        source = read_source(str(found), format="json")
    except FsdsError as error:
        return _unread(written, error, place, findings)
    return _checked(written, source, place, findings)


def _checked(written: str, source: Source, place: Place, findings: list[Diagnostic]) -> tuple[Named, list[Diagnostic]]:
    if isinstance(source.data, dict):
        return Named(written, source), findings
    return _unread(written, unreadable(source), place, findings)


def _unread(written: str, error: FsdsError, place: Place, findings: list[Diagnostic]) -> tuple[Named, list[Diagnostic]]:
    note = "Accelerate raises an error when it reads the file"
    found = finding("deepspeed-file-not-found", error.message, place, note=note, help=error.hint)
    return Named(written, None), [*findings, found]


def _held(written: str) -> Source | None:
    """The JSON that the text itself is (accelerate/utils/deepspeed.py:146)."""
    plain = _parsed(written)
    if plain is not None:
        return plain
    try:
        return _parsed(base64.urlsafe_b64decode(written).decode("utf-8"))
    except ValueError:  # no base64, or no text in it
        return None


def _parsed(text: str) -> Source | None:
    """None for what json.loads refuses; a key that is there twice it takes."""
    if not _like_json(text):
        return None
    try:
        source = load(text.encode("utf-8", "surrogatepass"), _NAME, format="json")
    except FsdsError:
        return None
    return source if all(problem.kind == "duplicate-key" for problem in source.problems) else None


def _like_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _looks_held(written: str) -> bool:
    """Whether it was meant as the JSON: begins like one, or is far too long for the name of a file."""
    return _like_json(written) or len(written) > _LONGEST_NAME


def _shown(written: str) -> str:
    """The name as a message tells it."""
    return written if len(written) <= _LONGEST_NAME else f"{written[:40]}..."


def _find(written: str, beside: Path | None) -> Path | None:
    candidates = [Path(written)]
    if beside is not None:
        candidates.append(beside.parent / written)
    return next((path for path in candidates if os.path.isfile(path)), None)  # Path.is_file raises for a long name
