"""What may be written for a key, in words."""

from __future__ import annotations

from fsds_convert.explain.markdown import codes
from fsds_convert.tables.row import Row

_TRUTH = "`true` or `false`, also yes, no, on, off, y, n, t, f, 1 and 0 in any case"
_BY_TYPE = {
    "truth": _TRUTH,
    "true-only": "`true` or `false`: 1, yes and on are read as false",
    "flag": "`true` or `false`, without quotes",
    "bool": "`true` or `false`, 1 or 0",
    "pydantic-bool": _TRUTH,
    "env-int": "a whole number, without a point or an exponent",
    "int": "a whole number, without quotes",
    "pydantic-int": "a whole number",
    "env-float": "a number",
    "float": "a number, without quotes",
    "pydantic-float": "a number",
    "env-text": "text",
    "text": "text, in quotes where it is a number or a truth value",
    "path": "a path",
    "class-names": "names of classes, separated by commas without spaces: `A,B`",
    "class-list": "the name of a class, names separated by commas, or a list of names",
    "list": "a list",
    "mapping": "a mapping",
    "section": "a mapping of keys",
    "process-count": "a number above 0, `gpu`, `cpu` or `auto`",
    "truth-list": "a list of three truth values",
    "raw": "any value",
    "dead": "any value: nothing reads it",
    "refused": "nothing: the key is refused",
}


def accepts(row: Row) -> str:
    """What upstream takes as the value of a key."""
    text = _spelled(row) if row.values and row.type not in ("path", "true-only", "flag", "truth") else _typed(row)
    if row.range:
        text += f", {_interval(row.range)}"
    return text + _besides(row)


def _typed(row: Row) -> str:
    return _BY_TYPE[row.type]


def _spelled(row: Row) -> str:
    refused = ["auto"] if row.table.startswith("deepspeed-json") and not row.auto else []
    text = codes(word for word in row.values if word not in refused)
    if row.type == "list":
        return f"a list of {text}"
    if row.type == "pydantic-bool":
        return _TRUTH
    if row.type == "attention":
        return f"{text}, or the name of a flash-attn kernel on the hub"
    return text + (", in any case" if row.case == "any" else "")


def _besides(row: Row) -> str:
    also = [alias for alias in row.aliases if alias not in ("True", "False")]
    text = f"; also {codes(also)}" if also else ""
    if row.auto:
        text += "; `auto` is filled in" + (" by the Trainer alone" if row.auto == "trainer" else "")
    return text


def _interval(interval: str) -> str:
    """`(0, )` -> above 0."""
    low, _, high = (part.strip() for part in interval[1:-1].partition(","))
    if not high:
        return f"above {low}" if interval.startswith("(") else f"{low} or more"
    exclusive = interval.startswith("(") and interval.endswith(")")
    return f"between {low} and {high}" if exclusive else f"from {low} to {high}"
