"""Where converted files go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fsds_convert.cli.streams import emit
from fsds_convert.containers.new_text import in_format
from fsds_convert.convert.conversion import Conversion
from fsds_convert.convert.convert import JSON_NAME
from fsds_convert.errors import FsdsError
from fsds_convert.syntax.decoding import encode
from fsds_convert.syntax.edits import Content, mode_to_keep, unified_diff, write_all
from fsds_convert.syntax.read_file import read_source
from fsds_convert.syntax.source import SUFFIXES, Source


@dataclass(frozen=True)
class Destination:
    """The file to write (None: stdout), and the name of a DeepSpeed JSON beside it."""

    path: str | None
    source: str
    overwrite: bool
    in_place: bool
    json_name: str


def destination(file: str, output: str | None, *, in_place: bool, overwrite: bool, dry: bool) -> Destination:
    """Where to write; raises FsdsError for options that contradict each other."""
    if output is not None and not output.strip():
        raise FsdsError("-o has an empty name", "give -o FILE, or leave it out for stdout")
    if in_place and output is not None:
        raise FsdsError("-o and --in-place are both given", "give one of them")
    if in_place and file == "-":
        raise FsdsError("stdin cannot be written over", "give -o FILE")
    path = file if in_place else None if output == "-" else output
    named = path if path is not None else file if dry and file != "-" else None
    return Destination(path, file, overwrite, in_place, _json_name(named, file))


def _json_name(path: str | None, source: str) -> str:
    """Beside the file that is written, and never the source itself."""
    if path is None or not Path(path).name:
        return JSON_NAME
    beside = Path(path).with_suffix(".json")
    taken = {os.path.realpath(path), os.path.realpath(source)}
    return str(beside.with_name(f"{beside.stem}_deepspeed.json") if os.path.realpath(beside) in taken else beside)


def check_destination(conversion: Conversion, place: Destination) -> None:
    """Raises FsdsError, before anything is printed, for a file that must not be written."""
    if place.path is None and conversion.output("deepspeed-json") is not None:
        raise FsdsError(
            "the settings do not fit into one file: DeepSpeed needs a JSON of its own",
            "give -o FILE, and the JSON is written beside it; or --deepspeed-json never",
        )
    if place.path is not None:
        for content, overwrite in _contents(conversion, place):
            mode_to_keep(content.path, overwrite)


def write(conversion: Conversion, place: Destination) -> tuple[str, ...]:
    """Writes every output, or none; the DeepSpeed JSON before the file that names it. The paths written."""
    contents = tuple(_contents(conversion, place))
    if place.path is None:
        for content, _ in contents:
            emit(encode(content.text, content.encoding, content.bom))
        return ()
    write_all(contents)
    return tuple(content.path for content, _ in contents)


def _contents(conversion: Conversion, place: Destination) -> Iterator[tuple[Content, bool]]:
    main, beside = conversion.output("main"), conversion.output("deepspeed-json")
    if beside is not None:
        named = conversion.reading.deepspeed_file
        own = named is not None and os.path.realpath(named.name) == os.path.realpath(place.json_name)
        yield Content(place.json_name, beside.text), place.overwrite or (place.in_place and own)
    if main is not None:
        path = place.path or conversion.reading.source.name
        text = _as_named(conversion, main.text, place.path)
        yield Content(path, text, bom=_keeps_bom(conversion)), place.overwrite or place.in_place


def _as_named(conversion: Conversion, text: str, path: str | None) -> str:
    """Accelerate tells JSON from YAML by the name of the file."""
    if path is None or conversion.target.container == "deepspeed-json":
        return text
    source = conversion.reading.source
    old = "yaml" if conversion.reading.container == "deepspeed-json" else source.format
    return in_format(text, old, SUFFIXES.get(Path(path).suffix, old))


def _keeps_bom(conversion: Conversion) -> bool:
    """Upstream reads UTF-8 only; yaml.safe_load takes a byte-order mark, json.load does not."""
    source = conversion.reading.source
    return source.bom and source.encoding == "utf-8" and source.format == "yaml"


@dataclass(frozen=True)
class Difference:
    """A file that is not what the source converts to."""

    message: str
    patch: str


def differences_of(conversion: Conversion, place: Destination) -> tuple[Difference, ...]:
    """The files on disk that are others than the converted ones."""
    source = conversion.reading.source
    found = []
    for content, _ in _contents(conversion, place):
        old = _old_text(content.path, source, place)
        if old is None:
            patch = unified_diff("", content.text, "/dev/null", content.path)
            found.append(Difference(f"{content.path}: is not there", patch))
        elif old != content.text:
            patch = unified_diff(old, content.text, content.path, content.path)
            found.append(Difference(f"{content.path}: is not what {source.name} converts to", patch))
    return tuple(found)


def _old_text(path: str, source: Source, place: Destination) -> str | None:
    """None for a file that does not exist."""
    if path == source.name and place.path in (None, place.source):
        return source.text
    return read_source(path).text if os.path.exists(path) else None
