"""Which values a plan field can hold, from the annotations of the groups."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from fsds_convert.plan.training_plan import GROUPS
from fsds_convert.settings.setting import Decided


@cache
def _members(path: str) -> tuple[Any, ...]:
    """The types and literals in `Setting[...]` of a field."""
    group, _, name = path.partition(".")
    held = get_args(get_type_hints(GROUPS[group])[name])[0]
    return get_args(held) if get_origin(held) is not None and get_origin(held) not in (tuple, dict) else (held,)


def legal(path: str, value: Any) -> bool:
    """Whether a plan can hold the value in this field."""
    return any(_is(member, value) for member in _members(path))


def words(path: str) -> list[Any]:
    """Every value of a field that holds words of the plan or truth values; [] for numbers and names."""
    found: list[Any] = []
    for member in _members(path):
        if get_origin(member) is Literal:
            found += get_args(member)
        elif isinstance(member, str):
            found.append(member)
        elif member is bool:
            found += [True, False]
    return found


def _is(member: Any, value: Any) -> bool:
    if get_origin(member) is Literal:
        return value in get_args(member)
    if isinstance(member, str):  # a member of a Literal
        return bool(value == member)
    kind = get_origin(member) or member
    if kind is Decided or kind is type(None):
        return isinstance(value, kind)
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
