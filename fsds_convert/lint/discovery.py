"""Which files are looked at: those that were named, and in folders the YAML and JSON files that git does not ignore."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from fsds_convert.lint.select import matches
from fsds_convert.syntax.source import SUFFIXES

# never entered, whatever git says
_SKIPPED = {".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".mypy_cache", ".ruff_cache"}


def discover(paths: Iterable[str], exclude: tuple[str, ...], *, force_exclude: bool) -> tuple[str, ...]:
    """The files in order, each once. A file that is named is taken whatever `exclude` says, unless `force_exclude`."""
    found: dict[str, None] = {}
    for path in paths:
        if os.path.isdir(path):
            inside = (name for name in _in_folder(path) if not _excluded(name, exclude))
            found |= dict.fromkeys(sorted(inside))
        elif not (force_exclude and _excluded(path, exclude)):
            found[path] = None
    return tuple(found)


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
    """What git would track below the folder; None outside of a work tree, and without git."""
    command = ["git", "-C", folder, "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def _walk(folder: str) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in files:
            yield os.path.relpath(os.path.join(root, name), folder)
