"""The DeepSpeed JSON that an Accelerate file names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsds_convert.containers.detect import unreadable
from fsds_convert.diagnostics import Diagnostic, finding
from fsds_convert.errors import FsdsError
from fsds_convert.settings.read_section import Reader
from fsds_convert.syntax.read_file import read_source
from fsds_convert.syntax.source import Source

_NAME = "deepspeed_config_file"


@dataclass(frozen=True)
class Named:
    """The file as named (`written`) and as read; `source` is None when it was not found or not readable."""

    written: str
    source: Source | None


def named_file(reader: Reader, section: Mapping[Any, Any]) -> tuple[Named | None, list[Diagnostic]]:
    """Looks where Accelerate does, in the working directory, then next to the file with a warning."""
    written = str(section.get(_NAME) or "none")
    if written == "none":
        return None, []
    place = reader.place(("deepspeed_config", _NAME))
    found, findings = _find(written, reader.source.path), []
    if found is None:
        text = f"the DeepSpeed config `{written}` is not there"
        note = "Accelerate raises ValueError: expected a string path to an existing deepspeed config"
        help = "write a path that exists where the job starts, and start fsds there"
        return Named(written, None), [finding("deepspeed-file-not-found", text, place, note=note, help=help)]
    if not os.path.isfile(written):
        text = f"`{written}` lies next to this file, not in the working directory"
        note = "accelerate launch looks only in the directory that the job starts in"
        findings = [finding("deepspeed-file-beside-the-yaml", text, place, note=note, help="start the job there")]
    try:
        source = read_source(str(found), format="json")
        if not isinstance(source.data, dict):
            raise unreadable(source)
    except FsdsError as error:
        note = "Accelerate raises an error when it reads the file"
        return Named(written, None), [
            *findings,
            finding("deepspeed-file-not-found", error.message, place, note=note, help=error.hint),
        ]
    return Named(written, source), findings


def _find(written: str, beside: Path | None) -> Path | None:
    candidates = [Path(written)]
    if beside is not None:
        candidates.append(beside.parent / written)
    return next((path for path in candidates if os.path.isfile(path)), None)  # Path.is_file raises for a long name
