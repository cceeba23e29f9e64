"""Changes to a text, and how they are shown and written."""

from __future__ import annotations

import contextlib
import os
import pathlib
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fsds_convert.errors import FsdsError
from fsds_convert.syntax.decoding import encode


@dataclass(frozen=True, order=True)
class Edit:
    """`text` takes the place of the characters from `start` up to `end`; with both equal it is inserted."""

    start: int
    end: int
    text: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made, in whatever order they are given; raises ValueError where two of them collide."""
    parts = []
    position = 0
    before: Edit | None = None
    for edit in sorted(edits):
        if not 0 <= edit.start <= edit.end <= len(text):
            raise ValueError(f"{edit} is outside of a text of {len(text)} characters")
        if edit.start < position or (before and (before.start, before.end) == (edit.start, edit.end)):
            raise ValueError(f"{edit} collides with {before}")
        parts += [text[position : edit.start], edit.text]
        position = edit.end
        before = edit
    return "".join([*parts, text[position:]])


def detect_newline(text: str) -> str:
    """The line break used most often; a line feed when there is none."""
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=lambda newline: counts[newline])


def unified_diff(old: str, new: str, name: str, new_name: str) -> str:
    """The changes as `diff -u` and `git apply` write them; empty when there are none."""
    from difflib import unified_diff as compare

    lines = compare(_lines(old), _lines(new), name, new_name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Lines end at line feeds only: str.splitlines would also cut at form feeds and the like."""
    *lines, rest = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([rest] if rest else [])]


@dataclass(frozen=True)
class Content:
    """The whole of a file to write."""

    path: str
    text: str
    encoding: str = "utf-8"
    bom: bool = False


def write_atomically(path: str | pathlib.Path, text: str, encoding: str, bom: bool, overwrite: bool) -> None:
    """The whole text or nothing; the mode of a replaced file stays, and a link leads to the new content.

    Raises FsdsError for an existing file without `overwrite`, and for one that cannot be written.
    """
    write_all([(Content(str(path), text, encoding, bom), overwrite)])


def write_all(files: Iterable[tuple[Content, bool]]) -> None:
    """All files, each whole, or none of them; with each whether it may replace one. Raises as write_atomically."""
    ready: list[tuple[str, str]] = []
    try:
        for content, overwrite in files:
            target = os.path.realpath(content.path)
            temporary = os.path.join(os.path.dirname(target), f".fsds-{os.getpid()}-{os.urandom(4).hex()}.tmp")
            with _errors_named(content.path):
                ready.append((temporary, target))
                _write_new(temporary, content, mode_to_keep(content.path, overwrite))
        for temporary, target in ready:
            with _errors_named(target):
                os.replace(temporary, target)
    except BaseException:
        for temporary, _ in ready:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise


@contextlib.contextmanager
def _errors_named(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FsdsError(f"{path}: cannot be written: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        char = ord(error.object[error.start])
        raise FsdsError(f"{path}: cannot be written: U+{char:04X} is no character of {error.encoding}") from error


def _write_new(path: str, content: Content, mode: int | None) -> None:
    encoded = encode(content.text, content.encoding, content.bom)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with open(descriptor, "wb") as file:
        file.write(encoded)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        os.chmod(path, mode)


def mode_to_keep(path: str, overwrite: bool) -> int | None:
    """The mode of the file that is to be replaced; None for a new one. Raises FsdsError when it must not be."""
    with _errors_named(path):
        try:
            status = os.stat(path)
        except FileNotFoundError:
            return None
    if not stat.S_ISREG(status.st_mode):
        raise FsdsError(f"{path}: not a regular file", "name a file to write")
    if not overwrite:
        raise FsdsError(f"{path}: exists already", "name another file, or add --overwrite")
    if not os.access(path, os.W_OK):
        raise FsdsError(f"{path}: is write-protected", "make it writable, or name another file")
    return stat.S_IMODE(status.st_mode)
