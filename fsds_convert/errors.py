"""What can go wrong, and the exit status it ends in.

Exception
├── FsdsError          the user can mend it: exit 2
│   ├── InputError     a file cannot be read
│   │   └── NotText    it is binary, in another encoding, or larger than any config
│   ├── SettingsError  `[tool.fsds]` or fsds.toml is wrong
│   └── UnknownName    a name that is none of the known ones
└── TableError         a table under `mappings/` is wrong, a bug in fsds: exit 3
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """The exit status of every command."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    BUG = 3
    UNRUNNABLE = 4
    INTERRUPTED = 130


class FsdsError(Exception):
    """Something that the user can mend; `hint` says how, where there is more to say than the message."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type[FsdsError], tuple[str, str]]:
        """From one process to another: what is said, whatever kind it was."""
        return FsdsError, (self.message, self.hint)


class InputError(FsdsError):
    """A file that cannot be read; the message begins with its name."""

    def __init__(self, path: str, problem: str, hint: str = "") -> None:
        super().__init__(f"{path}: {problem}", hint)
        self.path = path


class NotText(InputError):
    """A file that is binary, neither UTF-8 nor UTF-16, or larger than any config; `content` is how it begins."""

    def __init__(self, path: str, problem: str, hint: str, content: bytes) -> None:
        super().__init__(path, problem, hint)
        self.content = content


class SettingsError(FsdsError):
    """A setting of a project that fsds does not know or take; `key` is empty where the file as a whole is wrong."""

    def __init__(self, path: str, key: str, problem: str, hint: str = "") -> None:
        super().__init__(f"{path}: `{key}` {problem}" if key else f"{path}: {problem}", hint)
        self.path = path
        self.key = key


class UnknownName(FsdsError):
    """A name that is none of the known ones; `closest` is the one that was probably meant."""

    def __init__(self, kind: str, name: str, closest: str | None = None, known: Iterable[str] = ()) -> None:
        listed = ", ".join(known)
        hint = f"did you mean `{closest}`?" if closest else f"known: {listed}" if listed else ""
        super().__init__(f"unknown {kind} `{name}`", hint)
        self.kind = kind
        self.name = name
        self.closest = closest


class TableError(Exception):
    """A table under `mappings/` that is not well formed, or lacks what the code asks of it."""
