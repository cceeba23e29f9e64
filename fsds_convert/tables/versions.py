"""Which releases of the upstream packages a file is for."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

Version = tuple[int, ...]

PACKAGES = ("accelerate", "deepspeed", "transformers", "torch")
AUDITED: dict[str, str] = {"accelerate": "1.15.0", "deepspeed": "0.19.8", "transformers": "5.24.0", "torch": "2.13.0"}


@cache
def parse_version(text: str) -> Version:
    """`"0.19.3+cpu"` -> (0, 19, 3); raises ValueError when it does not begin with a number."""
    match = re.match(r"\d+(?:\.\d+)*", text)
    if match is None:
        raise ValueError(f"`{text}` is not a version")
    return tuple(int(part) for part in match.group().split("."))


def checked(source: str) -> str:
    """The release that a fact was read from, by its upstream path: `accelerate 1.15.0`; empty for any other path."""
    package = source.partition("/")[0]
    return f"{package} {AUDITED[package]}" if package in AUDITED else ""


@dataclass(frozen=True)
class Versions:
    """The releases in force, as text; what is not given is the newest audited one."""

    accelerate: str = AUDITED["accelerate"]
    deepspeed: str = AUDITED["deepspeed"]
    transformers: str = AUDITED["transformers"]
    torch: str = AUDITED["torch"]

    def of(self, package: str) -> Version:
        """The release of a package as a comparable tuple."""
        return parse_version(getattr(self, package))


@cache
def installed(package: str) -> str | None:
    """The installed release, read from the name of its metadata folder; nothing is imported."""
    for folder in sys.path:
        for info in Path(folder or ".").glob(f"{package}-*.dist-info"):
            return info.name[len(package) + 1 : -len(".dist-info")]
    return None


def in_force(asked: dict[str, str | None]) -> Versions:
    """What was asked for, else what is installed, else the newest audited."""
    return Versions(**{name: asked.get(name) or installed(name) or AUDITED[name] for name in PACKAGES})
