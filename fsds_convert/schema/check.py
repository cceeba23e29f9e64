"""A file against a schema: what is wrong, and where it stands in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fsds_convert.diagnostics import Place
from fsds_convert.schema.values import Schema
from fsds_convert.settings.show import show
from fsds_convert.syntax.closest import closest
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Path

_SHOWN = 40


def check(source: Source, schema: Schema) -> list[tuple[Place, str]]:
    """Every problem of the text, else everything that the schema refuses, in the order of the text."""
    from jsonschema import Draft7Validator  # 88 ms, and only this needs it

    if not isinstance(source.data, Mapping):
        return [(Place(source.name, problem.span), problem.message) for problem in source.problems]
    found = [
        (_place(source, path, key=key), message)
        for error in Draft7Validator(schema).iter_errors(_with_text_keys(source.data))
        for path, key, message in _told(error)
    ]
    return sorted(dict.fromkeys(found), key=lambda each: each[0].span.start if each[0].span else 0)


def _told(error: Any) -> Iterator[tuple[Path, bool, str]]:
    """Path, whether its key is meant, and message: one for each unknown key."""
    path = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        yield from (((*path, name), True, message) for name, message in _unknown(error))
    elif error.validator == "required":
        missing = next(name for name in error.validator_value if name not in error.instance)
        yield path, True, f"`{missing}` is missing"
    elif error.validator == "not" and error.validator_value == {}:
        yield path, True, error.schema.get("errorMessage", error.message)
    else:
        wanted = "a mapping of keys is wanted" if "properties" in error.schema else error.message
        told = error.schema.get("errorMessage") or wanted
        yield path, False, f"`{_shown(error.instance)}` is not accepted: {told}"


def _unknown(error: Any) -> Iterator[tuple[str, str]]:
    known = error.schema.get("properties", {})
    patterns = error.schema.get("patternProperties", {})
    for name in error.instance:
        if name not in known and not any(re.search(pattern, name) for pattern in patterns):
            near = closest(name, known)
            yield name, f"unknown key `{name}`" + (f"; did you mean `{near}`?" if near else "")


def _shown(value: Any) -> str:
    text = show(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _with_text_keys(value: Any) -> Any:
    """JSON has no other keys; YAML reads `1:` and `on:` as a number and a truth value."""
    if isinstance(value, Mapping):
        return {str(key): _with_text_keys(item) for key, item in value.items()}
    return [_with_text_keys(item) for item in value] if isinstance(value, (list, tuple)) else value


def _place(source: Source, path: Path, *, key: bool) -> Place:
    written: tuple[Any, ...] = ()
    held: Any = source.data
    for part in path:
        name = part if isinstance(held, (list, tuple)) else next(name for name in held if str(name) == part)
        held, written = held[name], (*written, name)
    spans = (source.keys, source.values) if key else (source.values, source.keys)
    return Place(source.name, spans[0].get(written) or spans[1].get(written) or source.values.get(()))
