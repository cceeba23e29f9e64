"""Bytes -> text."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Literal

from fsds_convert.errors import NotText

Encoding = Literal["utf-8", "utf-16-le", "utf-16-be"]

_MARKS: tuple[tuple[bytes, Encoding], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class Decoded:
    """The text without its byte-order mark, and its line breaks as they are."""

    text: str
    encoding: Encoding
    bom: bool


def decode(content: bytes, name: str) -> Decoded:
    """The text of a file; raises NotText when it is binary, or neither UTF-8 nor UTF-16 with a byte-order mark."""
    mark, encoding = next((known for known in _MARKS if content.startswith(known[0])), (b"", _MARKS[0][1]))
    try:
        text = content[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"not {encoding.upper()} text: byte 0x{content[len(mark) + error.start]:02x} on line {line}"
        raise NotText(name, problem, "save it as UTF-8", content) from error
    if "\0" in text:
        raise NotText(name, "a binary file", "give a YAML or JSON config", content)
    return Decoded(text, encoding, bool(mark))


def encode(text: str, encoding: str, bom: bool) -> bytes:
    """The content of a file that `decode` gives `text`, `encoding` and `bom` for."""
    return (("\ufeff" if bom else "") + text).encode(encoding)
