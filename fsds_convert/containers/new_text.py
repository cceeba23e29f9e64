"""A file written from nothing: an Accelerate YAML or JSON, or a DeepSpeed JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from fsds_convert.containers.scalar_text import scalar_text
from fsds_convert.syntax.source import Format, load


def accelerate_yaml(data: Mapping[str, Any], newline: str = "\n") -> str:
    """Sections as blocks, everything else on one line, in the order given."""
    lines = []
    for key, value in data.items():
        if isinstance(value, Mapping) and value:
            lines.append(f"{scalar_text(key)}:")
            lines += [f"  {scalar_text(name)}: {scalar_text(item)}" for name, item in value.items()]
        else:
            lines.append(f"{scalar_text(key)}: {scalar_text(value)}")
    return "".join(line + newline for line in lines)


def json_text(data: Mapping[str, Any], like: str = "") -> str:
    """JSON, indented and broken into lines as the text `like`."""
    found = re.search(r"\{\s*?\n([ \t]+)\"", like)
    indent: int | str = 2 if found is None else found.group(1)
    newline = "\r\n" if "\r\n" in like else "\n"
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    if re.search("[\ud800-\udfff]", text):  # half a character, which no encoding takes
        text = json.dumps(data, indent=indent)
    return text.replace("\n", newline) + newline


def in_format(text: str, old: Format, new: Format) -> str:
    """An Accelerate file in another format, which loses its comments."""
    if old == new:
        return text
    data = load(text.encode(), "converted", format=old).data
    return json_text(data) if new == "json" else accelerate_yaml(data)
