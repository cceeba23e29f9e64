"""The standard streams: closed ones lead nowhere, a reader that has gone misses the rest, and the work goes on."""

from __future__ import annotations

import io
import os
import sys

from fsds_convert.errors import FsdsError

# what a terminal obeys: an escape sequence in a config stays a piece of text
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}


def prepare() -> None:
    """Before anything is printed: a stream per name, and an escape for what the encoding of stdout lacks."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller: `fsds ... >&-`
            setattr(sys, name, io.TextIOWrapper(io.FileIO(os.devnull, mode), encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def show(text: str) -> None:
    """Prints a result; raises FsdsError when stdout cannot be written."""
    _write("stdout", f"{text}\n")


def emit(content: bytes) -> None:
    """Writes the content of a file to stdout as it is; raises FsdsError when stdout cannot be written."""
    _write("stdout", content)


def say(text: str) -> None:
    """Prints what goes with a result to stderr; nothing is left to do where that fails."""
    try:
        _write("stderr", f"{text}\n")
    except FsdsError:
        return


def lead_nowhere(name: str) -> None:
    """What a stream still holds would fail again when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), getattr(sys, name).fileno())


def _write(name: str, what: str | bytes) -> None:
    stream = getattr(sys, name)
    try:
        if isinstance(what, str):
            stream.write(what.translate(_CONTROL))
        else:
            stream.flush()
            stream.buffer.write(what)
        stream.flush()
    except OSError as error:
        lead_nowhere(name)
        if not isinstance(error, BrokenPipeError):
            raise FsdsError(f"{name} cannot be written: {error.strerror or error}") from error
