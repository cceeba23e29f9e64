"""Where converted files go."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from fsds_convert.convert.conversion import Conversion, Output
from fsds_convert.convert.convert import JSON_NAME
from fsds_convert.errors import FsdsError
from fsds_convert.syntax.edits import unified_diff, write_atomically
from fsds_convert.syntax.read_file import read_source


@dataclass(frozen=True)
class Destination:
    """The file to write (None: stdout), and the name of a DeepSpeed JSON beside it."""

    path: str | None
    source: str
    overwrite: bool
    json_name: str


def destination(file: str, output: str | None, *, in_place: bool, overwrite: bool, dry: bool) -> Destination:
    """Where to write; raises FsdsError for options that contradict each other."""
    if in_place and output is not None:
        raise FsdsError("-o and --in-place are both given", "give one of them")
    if in_place and file == "-":
        raise FsdsError("stdin cannot be written over", "give -o FILE")
    path = file if in_place else output
    named = path if path is not None else file if dry and file != "-" else None
    return Destination(path, file, overwrite or in_place, _json_name(named))


def _json_name(path: str | None) -> str:
    if path is None:
        return JSON_NAME
    plain = Path(path)
    beside = plain.with_suffix(".json")
    return str(plain.with_name(f"{plain.stem}_deepspeed.json") if beside == plain else beside)


def write(conversion: Conversion, place: Destination) -> None:
    """Writes every output whole, the DeepSpeed JSON before the file that names it."""
    main, beside = conversion.output("main"), conversion.output("deepspeed-json")
    if main is None:
        return
    if place.path is None:
        if beside is not None:
            raise FsdsError(
                "the settings do not fit into one file: DeepSpeed needs a JSON of its own",
                "give -o FILE, and the JSON is written beside it; or --deepspeed-json never",
            )
        sys.stdout.write(main.text)
        return
    source = conversion.reading.source
    if beside is not None:
        _write(place.json_name, beside, "utf-8", False, place.overwrite)
    _write(place.path, main, source.encoding, source.bom, place.overwrite)


def _write(path: str, output: Output, encoding: str, bom: bool, overwrite: bool) -> None:
    write_atomically(path, output.text, encoding, bom, overwrite)
    print(f"wrote {path}", file=sys.stderr)


def differs(conversion: Conversion, place: Destination, *, show: bool) -> bool:
    """Whether the files on disk are others than the converted ones; with `show`, the difference on stdout."""
    against = place.path or place.source
    pairs = [(against, conversion.output("main"))]
    if conversion.output("deepspeed-json") is not None:
        pairs.append((place.json_name, conversion.output("deepspeed-json")))
    found = False
    for path, output in pairs:
        if output is None:
            continue
        old = conversion.reading.source.text if path == place.source else _text(path)
        if old != output.text:
            found = True
            if show:
                sys.stdout.write(unified_diff(old, output.text, path, path))
            else:
                print(f"{path}: is not what {place.source} converts to", file=sys.stderr)
    return found


def _text(path: str) -> str:
    return read_source(path).text if Path(path).exists() else ""
