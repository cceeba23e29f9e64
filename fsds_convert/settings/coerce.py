"""How upstream turns a written value into the one that runs, for each type that a table names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from fsds_convert.settings.class_names import class_list, class_names
from fsds_convert.settings.coerced import Coerced
from fsds_convert.settings.coerced import plain as _plain
from fsds_convert.settings.coerced import refused as _refused
from fsds_convert.settings.show import show
from fsds_convert.syntax.closest import closest
from fsds_convert.tables.row import Row

_TRUE = ("y", "yes", "t", "true", "on", "1")
_FALSE = ("n", "no", "f", "false", "off", "0")


def coerce(row: Row, written: Any) -> Coerced:
    """Reads a written value as upstream does. A value that upstream refuses keeps the nearest meaning as intent."""
    if row.auto and written == "auto":
        return _plain("auto")
    read = _READERS[row.type](row, written)
    mistaken = str(written).lower()
    if read.refused and (read.intent is None or read.guess) and mistaken in row.mistaken:
        return _refused(row.mistaken[mistaken], read.refused, show(row.mistaken[mistaken]))
    if read.refused and row.values and not isinstance(read.intent, (tuple, list)) and read.intent not in row.values:
        return _refused(None, read.refused, read.wanted)
    if row.range and not read.refused and not within(row.range, read.value):
        wanted = range_in_words(row.range)
        return _refused(None, f"{read.value} is not {wanted}", f"a number {wanted}")
    return read


def within(interval: str, number: Any) -> bool:
    """Whether a number lies in "[0, 1]", "(0, 1)" or "[0, )"."""
    low, _, high = interval[1:-1].partition(",")
    above = number >= float(low) if interval.startswith("[") else number > float(low)
    if not high.strip():
        return bool(above)
    return bool(above) and bool(number <= float(high) if interval.endswith("]") else number < float(high))


def range_in_words(interval: str) -> str:
    """An interval as a reader says it: "above 0", "at least 1", "between 0 and 1"."""
    low, _, high = (part.strip() for part in interval[1:-1].partition(","))
    if interval.startswith("[") and interval.endswith("]"):
        return f"between {low} and {high}"
    above = f"at least {low}" if interval.startswith("[") else f"above {low}"
    if not high:
        return above
    return f"{above} and at most {high}" if interval.endswith("]") else f"{above} and below {high}"


def _truth(row: Row, written: Any) -> Coerced:
    """accelerate/utils/environment.py `str_to_bool`, over the text that the launcher exports."""
    text = str(written).lower()
    if text in _TRUE or text in _FALSE:
        return _plain(text in _TRUE)
    return _refused(None, f"ValueError: invalid truth value {text}", "true or false")


def _true_only(row: Row, written: Any) -> Coerced:
    text = str(written).lower()
    return Coerced(text == "true", text in _TRUE, wanted="true" if text in _TRUE else "")


def _whole(written: Any) -> int | None:
    """The whole number that was meant by 8, "8", 1.0e+8 or "5e8"; None when it is none."""
    if isinstance(written, bool):
        return None
    try:
        number = float(written)
    except (TypeError, ValueError, OverflowError):
        return None
    return int(number) if math.isfinite(number) and number == int(number) else None


def _env_int(row: Row, written: Any) -> Coerced:
    try:
        return _plain(int(str(written)))
    except ValueError:
        meant = _whole(written)
        error = f"ValueError: invalid literal for int() with base 10: '{written}'"
        return _refused(meant, error, "a whole number" if meant is None else str(meant))


def _env_float(row: Row, written: Any) -> Coerced:
    try:
        return _plain(float(str(written)))
    except ValueError:
        return _refused(None, f"ValueError: could not convert string to float: '{written}'", "a number")


def _env_text(row: Row, written: Any) -> Coerced:
    return _plain(None if written is None else str(written))


def _text(row: Row, written: Any) -> Coerced:
    if isinstance(written, str):
        return _plain(written)
    meant = None if written is None else str(written)
    wanted = "text" if meant is None else f'"{meant}", in quotes'
    return _refused(meant, f"text is wanted, not the {_kind(written)} `{written}`", wanted)


def _choice(row: Row, written: Any) -> Coerced:
    if written is None and None in row.values:
        return _plain(None)
    text = str(written)
    for spelling in row.values:
        if text == str(spelling) or (row.case == "any" and text.lower() == str(spelling).lower()):
            return _plain(spelling)
    for alias, spelling in row.aliases.items():
        if text == alias or (row.case == "any" and text.lower() == alias.lower()):
            return _plain(spelling)
    meant = next((s for s in row.values if str(s).lower() == text.lower().lstrip("_")), None)
    allowed = ", ".join(show(s) for s in row.values)
    if isinstance(written, bool):
        return _boolean_for_word(row, written, meant, allowed)
    if meant is None and isinstance(written, str) and text.lower() not in row.mistaken:
        near = closest(text, [str(s) for s in row.values])
        if near is not None:
            meant = next(s for s in row.values if str(s) == near)
            return Coerced(meant, meant, f"`{text}` is not one of {allowed}", f"`{near}`", guess=True)
    return _refused(meant, f"`{text}` is not one of {allowed}", allowed if meant is None else show(meant))


def _boolean_for_word(row: Row, written: bool, meant: Any, allowed: str) -> Coerced:
    """YAML 1.1 has a word for false: `no` without quotes."""
    word = next((s for s in row.values if not written and str(s).lower() == "no"), meant)
    why = f"a boolean, not one of {allowed}: YAML reads no, off, yes and on without quotes as booleans"
    return _refused(word, why, allowed if word is None else f"'{word}', in quotes")


def _flag(row: Row, written: Any) -> Coerced:
    """Python truthiness of the raw value: the text "false" is true."""
    meant = str(written).lower() in _TRUE if isinstance(written, str) else bool(written)
    return Coerced(bool(written), meant)


def _int(row: Row, written: Any) -> Coerced:
    if isinstance(written, int) and not isinstance(written, bool):
        return _plain(written)
    meant = _whole(written) if not isinstance(written, bool) else None
    error = f"TypeError: a whole number is wanted, not the {_kind(written)} `{written}`"
    return _refused(meant, error, "a whole number" if meant is None else str(meant))


def _float(row: Row, written: Any) -> Coerced:
    if isinstance(written, (int, float)) and not isinstance(written, bool):
        return _plain(written)
    try:
        meant: float | None = float(written)
    except (TypeError, ValueError, OverflowError):
        meant = None
    error = f"TypeError: a number is wanted, not the {_kind(written)} `{written}`"
    return _refused(meant, error, "a number" if meant is None else f"{meant:g}")


def _pydantic_bool(row: Row, written: Any) -> Coerced:
    if isinstance(written, bool):
        return _plain(written)
    text = str(written).lower()
    if written in (0, 1) or (isinstance(written, str) and text in _TRUE + _FALSE):
        return _plain(text in (*_TRUE, "1.0"))
    return _refused(None, "ValidationError: Input should be a valid boolean", "true or false")


def _pydantic_int(row: Row, written: Any) -> Coerced:
    if isinstance(written, bool):
        return _plain(int(written))
    if isinstance(written, (int, float)) and _whole(written) is not None:
        return _plain(int(written))
    if isinstance(written, str):
        digits = written.strip().removesuffix(".0")
        if digits.lstrip("+-").isdigit():
            return _plain(int(digits))
    meant = _whole(written)
    wanted = "a whole number" if meant is None else str(meant)
    return _refused(meant, "ValidationError: Input should be a valid integer", wanted)


def _pydantic_float(row: Row, written: Any) -> Coerced:
    try:
        return _plain(float(written))
    except (TypeError, ValueError, OverflowError):
        return _refused(None, "ValidationError: Input should be a valid number", "a number")


def _shaped(shape: type, wanted: str) -> Callable[[Row, Any], Coerced]:
    def read(row: Row, written: Any) -> Coerced:
        items: Any = written
        if isinstance(written, shape) and (not row.values or all(item in list(row.values) for item in items)):
            return _plain(written)
        return _refused(None, f"{wanted} is wanted, not the {_kind(written)} `{written}`", wanted)

    return read


def _raw(row: Row, written: Any) -> Coerced:
    return _plain(written)


def _bool(row: Row, written: Any) -> Coerced:
    """Compared with true and false, or joined with one by `|`: text raises."""
    if isinstance(written, bool) or written in (0, 1):
        return _plain(bool(written))
    meant = str(written).lower() in _TRUE if isinstance(written, str) else None
    return _refused(meant, f"true or false is wanted, not the {_kind(written)} `{written}`", "true or false")


def _truth_list(row: Row, written: Any) -> Coerced:
    """The launcher exports the first three items, one by one (accelerate/utils/launch.py:91)."""
    items = list(written) if isinstance(written, (list, str)) else []
    read = [_truth(row, item) for item in items[:3]]
    if len(read) == 3 and not any(item.refused for item in read):
        return _plain([item.value for item in read])
    return _refused(None, f"three truth values are wanted, not `{written}`", "[false, false, false]")


def _attention(row: Row, written: Any) -> Coerced:
    """One of torch's implementations, or a flash attention kernel of the hub (accelerate/utils/dataclasses.py:2305)."""
    text = str(written)
    if text in row.values or ("/" in text and "flash-attn" in text):
        return _plain(text)
    allowed = ", ".join(row.values)
    return _refused(None, f"ValueError: Invalid sp_attn_implementation: {text}. Must be one of {allowed} ...", allowed)


def _process_count(row: Row, written: Any) -> Coerced:
    """torchrun's --nproc_per_node: a number, also as text, or the devices of this machine."""
    if written in ("gpu", "cpu", "auto"):
        return _plain(written)
    meant = None if isinstance(written, bool) else _whole(written)
    if meant is not None and str(written).strip() == str(meant) and (meant > 0 or meant == -1):
        return _plain(meant)
    error = f"ValueError: Unsupported nproc_per_node value: {written}"
    return _refused(meant, error, "a number above 0" if meant is None else str(meant))


def _kind(value: Any) -> str:
    names = {bool: "boolean", str: "text", float: "fraction", int: "number", list: "list", dict: "mapping"}
    names[type(None)] = "null"
    return names.get(type(value), type(value).__name__)


_READERS: dict[str, Callable[[Row, Any], Coerced]] = {
    "truth": _truth,
    "true-only": _true_only,
    "env-int": _env_int,
    "env-float": _env_float,
    "env-text": _env_text,
    "choice": _choice,
    "class-names": class_names,
    "class-list": class_list,
    "flag": _flag,
    "int": _int,
    "float": _float,
    "text": _text,
    "path": _text,
    "pydantic-bool": _pydantic_bool,
    "pydantic-int": _pydantic_int,
    "pydantic-float": _pydantic_float,
    "list": _shaped(list, "a list"),
    "mapping": _shaped(dict, "a mapping"),
    "section": _shaped(dict, "a mapping"),
    "process-count": _process_count,
    "attention": _attention,
    "truth-list": _truth_list,
    "bool": _bool,
    "raw": _raw,
    "dead": _raw,
    "refused": _raw,
}
