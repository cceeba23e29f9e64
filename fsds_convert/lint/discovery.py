"""Which files are looked at: those that were named, and in folders the YAML and JSON files that git does not ignore."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from fsds_convert.lint.select import matches
from fsds_convert.syntax.source import SUFFIXES

# never entered, whatever git says
_SKIPPED = {".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".mypy_cache", ".ruff_cache"}


def discover(paths: Iterable[str], exclude: tuple[str, ...], *, force_exclude: bool) -> tuple[str, ...]:
    """The files in order, each once. A file that is named is taken whatever `exclude` says, unless `force_exclude`."""
    found: dict[str, str] = {}
    for path in paths:
        is_folder = os.path.isdir(path)
        for name in sorted(_in_folder(path)) if is_folder else [path]:
            if not ((is_folder or force_exclude) and _excluded(name, exclude)):
                found.setdefault(os.path.normpath(name), name)
    return tuple(found.values())


def _excluded(path: str, exclude: tuple[str, ...]) -> bool:
    return any(matches(path, pattern) for pattern in exclude)


def _in_folder(folder: str) -> Iterator[str]:
    names = _known_to_git(folder)
    for name in _walk(folder) if names is None else names:
        path = os.path.normpath(os.path.join(folder, name))
        parts = set(PurePath(name).parts[:-1])
        if os.path.splitext(name)[1] in SUFFIXES and not parts & _SKIPPED and os.path.isfile(path):
            yield path


def _known_to_git(folder: str) -> list[str] | None:
    """What git would track below the folder; None outside of a work tree, in one that is ignored, and without git."""
    listed = _git(folder, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    if not listed and _git(folder, "check-ignore", "--quiet", ".") is not None:
        return None  # a folder that is ignored as a whole was named all the same
    return None if listed is None else [os.fsdecode(name) for name in listed.split(b"\0") if name]


def _git(folder: str, *arguments: str) -> bytes | None:
    """What a command prints; None when it fails."""
    import subprocess  # most hooks name their files

    command = ["git", "-C", folder, *arguments]
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


def _walk(folder: str) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in files:
            yield os.path.relpath(os.path.join(root, name), folder)
