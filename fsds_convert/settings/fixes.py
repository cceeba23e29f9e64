"""The mend of what reading a key finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsds_convert.diagnostics import Change, Fix
from fsds_convert.settings.show import show
from fsds_convert.syntax.closest import surely
from fsds_convert.syntax.span import Path
from fsds_convert.tables.row import Row

# texts that YAML reads as another type without quotes
_WORDS = ("no", "yes", "on", "off", "true", "false", "null", "~")


def renamed(path: Path, near: str | None, data: Mapping[Any, Any]) -> Fix | None:
    """The name that was meant; none where it is written too."""
    if near is None or near in data:
        return None
    return Fix(f"write `{near}`", (Change("rename", path, near),), guess=not surely(str(path[-1]), near))


def removed(path: Path, *, guess: bool = False) -> Fix:
    """The key taken out."""
    return Fix(f"remove `{path[-1]}`", (Change("remove", path),), guess=guess)


def moved(path: Path, section: str, value: Any, data: Mapping[Any, Any]) -> Fix | None:
    """The key in its own section, where that is written and does not hold it yet."""
    name = path[-1]
    target = (*section.split("."), name) if section else (name,)
    holder: Any = data
    for part in target[:-1]:
        holder = holder.get(part) if isinstance(holder, Mapping) else None
    if not isinstance(holder, Mapping) or name in holder:
        return None
    words = f"in `{section}`" if section else "at the top of the file"
    return Fix(f"write `{name}` {words}", (Change("remove", path), Change("set", target, value)))


def written_as(path: Path, row: Row, meant: Any, *, guess: bool = False) -> Fix | None:
    """The value that was meant, as the key wants it; none where it is not known."""
    if meant is None:
        return None
    value = ",".join(meant) if row.type == "class-names" else list(meant) if isinstance(meant, tuple) else meant
    text = f"'{value}'" if str(value).lower() in _WORDS and isinstance(value, str) else show(value)
    return Fix(f"write `{row.name}: {text}`", (Change("set", path, value),), guess=guess)


def replaced(path: Path, row: Row, target: Row | None, value: Any, *, taken: bool) -> Fix | None:
    """The key that replaced an old one, in its place; the old one taken out where the new one is written (`taken`).

    `value` is what the new key has to hold; a key below another one is written as a mapping.
    """
    if taken:
        return removed(path)
    if target is None:
        return None
    parent = row.key.rpartition(".")[0]
    below = target.key.removeprefix(f"{parent}.") if parent else target.key
    if parent and below == target.key:  # it stands in another section
        return None
    name, *inner = below.split(".")
    for part in reversed(inner):
        value = {part: value}
    changes = (Change("set", path, value), Change("rename", path, name))
    same = target.type == row.type and not inner
    return Fix(f"write `{below}`", changes[1:] if same else changes)
