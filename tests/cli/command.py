"""Runs `fsds` in this process, which takes milliseconds, or in one of its own."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from fsds_convert.cli import main


@dataclass(frozen=True)
class Outcome:
    """The exit status and what was printed; `raw` is stdout as bytes."""

    status: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        """stdout as text, with its line breaks as they are."""
        return self.raw.decode("utf-8")


def run(folder: Path, *arguments: str, stdin: bytes = b"") -> Outcome:
    """`fsds ARGUMENTS` in a folder, off a terminal."""
    raw, err = io.BytesIO(), io.BytesIO()
    with (
        _inside(folder),
        patch.object(sys, "argv", ["fsds", *arguments]),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")),
        patch.object(sys, "stdout", io.TextIOWrapper(raw, encoding="utf-8", newline="")) as stdout,
        patch.object(sys, "stderr", io.TextIOWrapper(err, encoding="utf-8", newline="")) as stderr,
    ):
        try:
            main()
            status: object = 0
        except SystemExit as stop:
            status = stop.code
        stdout.flush()
        stderr.flush()
        content, said = raw.getvalue(), err.getvalue()
    assert isinstance(status, int)
    return Outcome(int(status), content, said.decode("utf-8"))


def spawn(folder: Path, *arguments: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None) -> Outcome:
    """`fsds ARGUMENTS` in a process of its own."""
    command = [sys.executable, "-m", "fsds_convert", *arguments]
    done = subprocess.run(
        command, cwd=folder, input=stdin, env={**os.environ, **(environment or {})}, capture_output=True, check=False
    )
    return Outcome(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def on_terminal(folder: Path, *arguments: str, columns: int = 100, environment: Mapping[str, str]) -> Outcome:
    """`fsds ARGUMENTS` with stdout and stderr on a terminal of its own; `err` holds what it shows of both."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in _TERMINAL}
    process = subprocess.Popen(
        [sys.executable, "-m", "fsds_convert", *arguments],
        cwd=folder,
        env={**kept, "TERM": "xterm-256color", **environment},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = bytearray()
    with contextlib.suppress(OSError):  # EIO: the other end is closed
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    return Outcome(process.wait(), b"", shown.decode("utf-8").replace("\r\n", "\n"))


_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "LINES", "TTY_COMPATIBLE")
