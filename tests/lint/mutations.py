"""Config files with faults put into them: the strategy that the fuzz tests draw from."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import strategies as st

from fsds_convert.tables.load import load_table
from tests.oracle import corpus

ROOT = Path(__file__).parents[2]
_TABLES = ("accelerate", "fsdp", "deepspeed-inline", "deepspeed-json", "parallelism", "dynamo", "fp8", "trainer-fsdp")
_VALUES = (
    *("true", "false", "no", "NO", "on", "null", "~", "None", "''", '""', "auto", '"auto"', "0", "-1", "1", "2", "3"),
    *("3.0", "1e8", "1e999", ".nan", ".inf", "0x1F", "010", "1:30", "2026-01-01", "[]", "{}", "[1, 2]", "{a: 1}"),
    *("&a 1", "*a", "!!binary aGk=", "!x y", "|", ">-", "? a", "A, B", "A,B", "“true”", "cpu", "nvme", "bf16", "fp16"),
    *("fp8", "FULL_SHARD", "HYBRID_SHARD", "NO_SHARD", "full_shard", "TRANSFORMER_BASED_WRAP", "SIZE_BASED_WRAP"),
    *("LOCAL_STATE_DICT", "10.0.0.1", "ds.json", "9" * 400, "a" * 5000, "\x00", "\x1b[31m", "é", "\u2028", "{{ x }}"),
)
_COMMENTS = ("#", "  # fsds: ignore[FSDS105] why", "# fsds: ignore", "# fsds: ignore-file[FSDS102]")
_LINES = ("", "---", "...", "\t", *_COMMENTS)
_KEYS = tuple(sorted({row.name for table in _TABLES for row in load_table(table)}))
_VALUE = re.compile(r"(?P<key>^\s*[\"']?[\w.]+[\"']?\s*:)(?P<value>[^\n]*)")


def seeds() -> list[tuple[str, str]]:
    """Name and text of every example, and of the corpus where it is here."""
    paths = sorted((ROOT / "examples").iterdir()) + [file.path for file in corpus.files()]
    found = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if len(text) < 20_000:
            found.append((f"in{path.suffix}", text))
    return found


SEEDS = seeds()


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, str]:
    """The name of a file and its text, with up to six faults."""
    name, text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(0, 6))):
        text = draw(_FAULTS)(draw, text)
    return name, text


def _value(draw: st.DrawFn, text: str) -> str:
    lines = text.split("\n")
    at = draw(st.integers(0, len(lines) - 1))
    found = _VALUE.match(lines[at])
    if found:
        comma = "," if found["value"].rstrip().endswith(",") else ""
        lines[at] = f"{found['key']} {draw(st.sampled_from(_VALUES))}{comma}"
    return "\n".join(lines)


def _key(draw: st.DrawFn, text: str) -> str:
    names = re.findall(r"[A-Za-z_][\w]{3,}", text)
    if not names:
        return text
    old = draw(st.sampled_from(names))
    new = draw(st.sampled_from(_KEYS)) if draw(st.booleans()) else old[:2] + old[3:]
    return text.replace(old, new, 1)


def _line(draw: st.DrawFn, text: str) -> str:
    lines = text.split("\n")
    at = draw(st.integers(0, len(lines) - 1))
    what = draw(st.sampled_from(("delete", "double", "swap", "indent", "insert", "add key")))
    if what == "delete":
        del lines[at]
    elif what == "double":
        lines.insert(at, lines[at])
    elif what == "swap":
        lines[at], lines[-1 - at] = lines[-1 - at], lines[at]
    elif what == "indent":
        lines[at] = f" {lines[at]}" if draw(st.booleans()) else lines[at].lstrip()
    elif what == "insert":
        lines.insert(at, draw(st.sampled_from(_LINES)))
    else:
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        lines.insert(at, f"{indent}{draw(st.sampled_from(_KEYS))}: {draw(st.sampled_from(_VALUES))}")
    return "\n".join(lines)


def _characters(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.text(max_size=3)) + text[at + draw(st.integers(0, 3)) :]


def _breaks(draw: st.DrawFn, text: str) -> str:
    return text.replace("\n", draw(st.sampled_from(("\r\n", "\r", "\n\n", "\n  "))))


_FAULTS = st.sampled_from((_value, _value, _value, _key, _key, _line, _line, _characters, _breaks))
