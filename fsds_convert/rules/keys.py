"""From the key of a table to the place in a file."""

from __future__ import annotations

from functools import cache

from fsds_convert.rules.facts import Facts
from fsds_convert.syntax.span import Path
from fsds_convert.tables.load import load_table


def path_of(key: str, facts: Facts) -> Path:
    """Where a key is written, else where it would be written in this kind of file."""
    setting = facts.settings.get(key)
    if setting is not None and setting.is_written and setting.origin.path:
        return setting.origin.path
    if facts.container == "accelerate" and key in inline_keys():
        key = inline_keys()[key]
    if facts.container == "trainer-fsdp":
        key = key.removeprefix("fsdp_config.")
    return tuple(key.split("."))


@cache
def inline_keys() -> dict[str, str]:
    """The inline key of each DeepSpeed JSON key that has one."""
    return {row.json: row.key for row in load_table("deepspeed-inline") if row.json is not None}
