"""A file beside what it becomes in the other frameworks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fsds_convert.containers.reading import Reading
from fsds_convert.convert.convert import convert
from fsds_convert.convert.target import target_of
from fsds_convert.errors import FsdsError
from fsds_convert.precision.converted import reread
from fsds_convert.settings.context import Context
from fsds_convert.transfer.options import Options

_TARGETS = {"fsdp1": "fsdp1", "fsdp2": "fsdp2", "deepspeed": "deepspeed"}


@dataclass(frozen=True)
class Counterpart:
    """What a file becomes; `reading` is None where the conversion is refused, and `why` says so."""

    name: str
    reading: Reading | None
    why: str = ""


def counterparts(reading: Reading, context: Context) -> Iterator[Counterpart]:
    """The file in each of the other frameworks, converted in memory."""
    for engine, name in _TARGETS.items():
        if engine == reading.engine:
            continue
        try:
            conversion = convert(reading, target_of(name), context, Options())
        except FsdsError as error:
            yield Counterpart(f"accelerate-{engine}", None, error.message)
            continue
        converted = reread(conversion, context)
        if converted is None:
            yield Counterpart(f"accelerate-{engine}", None, "; ".join(note.reason for note in conversion.refused))
        else:
            yield Counterpart(converted.dialect, converted)
