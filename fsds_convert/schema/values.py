"""The values that upstream takes for a key, as a JSON Schema (settings/coerce.py reads the same types).

A schema knows less than the reader: 2.0 is an integer to it, and a number in a text is held to no upper bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from fsds_convert.settings.coerce import within
from fsds_convert.tables.row import Row

Schema = dict[str, Any]

_TRUE = ("y", "yes", "t", "true", "on", "1")
_FALSE = ("n", "no", "f", "false", "off", "0")
_NUMBER_TEXT = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$|^\s*[+-]?([iI][nN][fF]|[nN][aA][nN])\s*$"
_UNSIGNED_TEXT = r"^\s*\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
_NAMES = r"^[^,\s]([^,]*[^,\s])?(,[^,\s]([^,]*[^,\s])?)*$"
_BOUNDS = {"[": "minimum", "(": "exclusiveMinimum", "]": "maximum", ")": "exclusiveMaximum"}


def accepted(row: Row) -> Schema:
    """The schema of a value; {} takes anything."""
    found = _TYPES[row.type](row)
    if row.type in _TAKES_TEXT and not fills(row):
        found = {**found, "not": {"const": "auto"}}
    more: list[Schema] = [{"const": "auto"}] if row.auto else []
    more += [{"type": "null"}] if row.null_is_absent else []
    return _any_of(found, *more) if found and more else found


def fills(row: Row) -> bool:
    """Whether an "auto" may stand there: Accelerate refuses one in a DeepSpeed JSON that nobody fills in."""
    return bool(row.auto) or not row.table.startswith("deepspeed-json")


def _any_of(*schemas: Schema) -> Schema:
    """One of the schemas; those that are such a choice themselves, flat."""
    flat = [part for schema in schemas for part in (schema["anyOf"] if list(schema) == ["anyOf"] else [schema])]
    if len(flat) > 1 and all(list(part) == ["type"] for part in flat):
        named = ([part["type"]] if isinstance(part["type"], str) else part["type"] for part in flat)
        return {"type": list(dict.fromkeys(name for names in named for name in names))}
    return flat[0] if len(flat) == 1 else {"anyOf": flat}


def in_any_case(words: Iterable[str]) -> str:
    """A pattern for the whole text; the dialect of JSON Schema has no flag for the case."""
    return f"^({'|'.join(''.join(map(_letter, word)) for word in words)})$"


def _letter(letter: str) -> str:
    lower, upper = letter.lower(), letter.upper()
    return f"[{upper}{lower}]" if lower != upper else re.escape(letter)


def _truth(row: Row) -> Schema:
    return _any_of({"type": "boolean"}, {"enum": [0, 1]}, {"type": "string", "pattern": in_any_case(_TRUE + _FALSE)})


def _true_only(row: Row) -> Schema:
    """Not what is read as false although it says true."""
    words = ("true", *_FALSE, "none")
    return _any_of({"type": ["boolean", "null"]}, {"const": 0}, {"type": "string", "pattern": in_any_case(words)})


def _flag(row: Row) -> Schema:
    """Not a text that says false, which is true."""
    words = {"type": "string", "pattern": in_any_case(_TRUE) + "|^$"}
    return _any_of({"type": ["boolean", "number", "null"]}, words)


def _bool(row: Row) -> Schema:
    return _any_of({"type": "boolean"}, {"enum": [0, 1]})


def _whole(row: Row) -> Schema:
    return {"type": "integer", **_bounds(row)}


def _number(row: Row) -> Schema:
    return {"type": "number", **_bounds(row)}


def _env_int(row: Row) -> Schema:
    if row.values:
        return {"enum": [form for value in row.values for form in (value, str(value))]}
    return _any_of(_whole(row), {"type": "string", "pattern": _whole_text(row, "")})


def _pydantic_int(row: Row) -> Schema:
    return _any_of(_whole(row), {"type": "string", "pattern": _whole_text(row, r"(\.0)?")}, *_truths(row))


def _whole_text(row: Row, fraction: str) -> str:
    sign = r"\+?" if row.range else "[+-]?"
    digits = "0*[1-9][0-9_]*" if _positive(row) else "[0-9][0-9_]*"
    return rf"^\s*{sign}{digits}{fraction}\s*$"


def _env_float(row: Row) -> Schema:
    return _any_of(_number(row), {"type": "string", "pattern": _UNSIGNED_TEXT if row.range else _NUMBER_TEXT})


def _pydantic_float(row: Row) -> Schema:
    return _any_of(_env_float(row), *_truths(row))


def _truths(row: Row) -> list[Schema]:
    """A truth value where pydantic takes it for a number, 1 or 0."""
    taken = [truth for truth in (True, False) if not row.range or within(row.range, truth)]
    return [{"enum": taken}] if taken else []


def _positive(row: Row) -> bool:
    return row.range.startswith("(0") or row.range.startswith("[1")


def _bounds(row: Row) -> Schema:
    if not row.range:
        return {}
    low, _, high = (part.strip() for part in row.range[1:-1].partition(","))
    return {
        _BOUNDS[mark]: float(bound) if "." in bound else int(bound)
        for mark, bound in ((row.range[0], low), (row.range[-1], high))
        if bound
    }


def _choice(row: Row) -> Schema:
    words = [word for word in (*row.values, *row.aliases) if word != "auto" or fills(row)]
    forms = [form for word in words for form in _forms(word)]
    distinct = [form for n, form in enumerate(forms) if not any(_same(form, other) for other in forms[:n])]
    texts = [str(word) for word in words if word is not None]
    if row.case == "any" and texts:
        return _any_of({"enum": distinct}, {"type": "string", "pattern": in_any_case(texts)})
    return {"enum": distinct}


def _forms(word: Any) -> list[Any]:
    """A spelling is compared as text: 1 stands for "1", false for "False"."""
    if not isinstance(word, str):
        return [word] if word is None else [word, str(word)]
    plain = {"True": True, "False": False}.get(word)
    if plain is not None:
        return [word, plain]
    return [word, int(word)] if re.fullmatch(r"-?[0-9]+", word) else [word]


def _same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)


def _list(row: Row) -> Schema:
    return {"type": "array", **({"items": {"enum": list(row.values)}} if row.values else {})}


def _class_list(row: Row) -> Schema:
    names = {"type": "string", "pattern": _NAMES}
    return _any_of(names, {"type": "array", "items": names, "minItems": 1})


def _mapping(row: Row) -> Schema:
    return {"type": "object", **({"propertyNames": {"enum": list(row.values)}} if row.values else {})}


def _attention(row: Row) -> Schema:
    return _any_of({"enum": list(row.values)}, {"type": "string", "pattern": "^(?=.*/).*flash-attn"})


def _process_count(row: Row) -> Schema:
    number = {"type": "string", "pattern": r"^\s*([1-9][0-9]*|-1)\s*$"}
    return _any_of({"type": "integer", "minimum": 1}, {"const": -1}, {"enum": ["gpu", "cpu", "auto"]}, number)


def _truth_list(row: Row) -> Schema:
    return {"type": "array", "minItems": 3, "items": [_truth(row)] * 3}


def _anything(row: Row) -> Schema:
    return {}


def _typed(*names: str, **more: Any) -> Callable[[Row], Schema]:
    return lambda row: {"type": names[0] if len(names) == 1 else list(names), **more}


_TAKES_TEXT = ("text", "path", "env-text", "raw", "dead")
_TYPES: dict[str, Callable[[Row], Schema]] = {
    "truth": _truth,
    "true-only": _true_only,
    "flag": _flag,
    "bool": _bool,
    "pydantic-bool": _truth,
    "env-int": _env_int,
    "int": _whole,
    "pydantic-int": _pydantic_int,
    "env-float": _env_float,
    "float": _number,
    "pydantic-float": _pydantic_float,
    "env-text": _typed("string", "number", "boolean", "null"),
    "text": _typed("string"),
    "path": _typed("string"),
    "class-names": _typed("string", pattern=_NAMES),
    "class-list": _class_list,
    "choice": _choice,
    "list": _list,
    "mapping": _mapping,
    "section": _mapping,
    "attention": _attention,
    "process-count": _process_count,
    "truth-list": _truth_list,
    "raw": _anything,
    "dead": _anything,
    "refused": lambda row: {"not": {}},
}
