"""The settings of a project, from the closest file that has them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fsds_convert.errors import InputError, SettingsError
from fsds_convert.syntax.closest import closest

_NAMES = ("fsds.toml", "pyproject.toml")
_TEXTS = ("fail-on", "output-format", "severity", "for")
_LISTS = ("select", "ignore", "exclude")
_TARGETS = ("target-accelerate", "target-deepspeed", "target-transformers", "target-torch")
_KNOWN = (*_LISTS, "per-file-ignores", *_TARGETS, *_TEXTS)
_CHOICES = {
    "fail-on": ("error", "warning", "info"),
    "severity": ("error", "warning", "info"),
    "output-format": ("full", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"),
    "for": ("accelerate", "trainer", "deepspeed"),
}


@dataclass(frozen=True)
class ProjectSettings:
    """What the file holds; `path` is None where there is none. `targets` are releases by package."""

    path: Path | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    targets: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


def project_settings(start: Path) -> ProjectSettings:
    """Of the closest folder, from `start` upward, that has any; raises SettingsError for a file that is wrong."""
    for folder in (start, *start.parents):
        for name in _NAMES:
            path = Path(os.path.relpath(folder / name))
            # reading TOML costs 26 ms to import, and most projects say nothing about fsds
            if path.is_file() and (name == "fsds.toml" or b"fsds" in _bytes(path)):
                held = _parsed(path)
                if name == "pyproject.toml":
                    held = held.get("tool", {}).get("fsds")
                if held is not None:
                    return _settings(path, held)
    return ProjectSettings()


def settings_in(path: Path) -> ProjectSettings:
    """Of a named file; raises InputError when it cannot be read, SettingsError when it is wrong or says nothing."""
    held = _parsed(path)
    if path.name == "pyproject.toml":
        held = held.get("tool", {}).get("fsds")
    if held is None:
        raise SettingsError(str(path), "tool.fsds", "is not there")
    return _settings(path, held)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from error


def _parsed(path: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(_bytes(path).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(str(path), "", f"is no TOML: {error}") from error


def _settings(path: Path, held: Any) -> ProjectSettings:
    if not isinstance(held, dict):
        raise SettingsError(str(path), "tool.fsds", "is not a table")
    for key in held:
        if key not in _KNOWN:
            near = closest(key, _KNOWN)
            hint = f"did you mean `{near}`?" if near else f"known: {', '.join(_KNOWN)}"
            raise SettingsError(str(path), key, "is no setting of fsds", hint)
    return ProjectSettings(
        path,
        **{key: _list(path, key, held.get(key, [])) for key in _LISTS},
        per_file_ignores=_per_file(path, held.get("per-file-ignores", {})),
        targets={key.removeprefix("target-"): _release(path, key, held[key]) for key in _TARGETS if key in held},
        texts={key: _choice(path, key, held[key]) for key in _TEXTS if key in held},
    )


def _list(path: Path, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise SettingsError(str(path), key, f"is not a list of texts but `{value}`")
    return tuple(value)


def _per_file(path: Path, value: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise SettingsError(str(path), "per-file-ignores", f"is not a table but `{value}`")
    return {pattern: _list(path, f"per-file-ignores.{pattern}", words) for pattern, words in value.items()}


def _release(path: Path, key: str, value: Any) -> str:
    if not isinstance(value, str) or not value[:1].isdigit():
        raise SettingsError(str(path), key, f"is no release but `{value}`", 'write it as "1.15.0"')
    return value


def _choice(path: Path, key: str, value: Any) -> str:
    if value not in _CHOICES[key]:
        raise SettingsError(str(path), key, f"is none of {', '.join(_CHOICES[key])} but `{value}`")
    return str(value)
