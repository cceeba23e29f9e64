"""A file, or standard input, -> its Source."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from fsds_convert.errors import InputError, NotText
from fsds_convert.syntax.closest import closest
from fsds_convert.syntax.limits import MAX_BYTES
from fsds_convert.syntax.source import Format, Source, load

STDIN = "<stdin>"


def read_source(
    path: str, stdin: BinaryIO | None = None, stdin_filename: str | None = None, format: Format | None = None
) -> Source:
    """Reads the file, or `stdin` for `-`; raises InputError when it cannot be read or is no text.

    `format` is how its consumer reads the file, whatever its name.
    """
    if path == "-" and stdin is not None:
        name = stdin_filename or STDIN
        with _errors_named(name):
            content = _read(stdin, name)
        return load(content, name, format=format)
    with _errors_named(path), open(path, "rb") as file:
        content = _read(file, path)
    return load(content, path, pathlib.Path(path), format)


@contextmanager
def _errors_named(path: str) -> Iterator[None]:
    """Turns what the operating system raises into InputError."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(path, "no such file", _nearest(path)) from error
    except IsADirectoryError as error:
        raise InputError(path, "a folder, not a file", "name a file in it") from error
    except PermissionError as error:
        raise InputError(path, "no permission to read it", "check the mode and the owner of the file") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise InputError(path, f"cannot be read: {reason}", "check the name") from error


def _read(file: BinaryIO, name: str) -> bytes:
    content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise NotText(name, f"larger than {MAX_BYTES // 1_000_000} MB", "give a training config", b"")
    return content


def _nearest(path: str) -> str:
    folder, name = os.path.split(path)
    try:
        near = closest(name, os.listdir(folder or os.curdir))
    except OSError:
        return f"there is no folder `{folder}`"
    return f"did you mean `{os.path.join(folder, near)}`?" if near else "check the name, or give `-` for standard input"
