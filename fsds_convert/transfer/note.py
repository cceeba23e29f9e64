"""What became of one setting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fsds_convert.settings.setting import Setting
from fsds_convert.transfer.rows import SAME, Fidelity, Transfer


@dataclass(frozen=True)
class Note:
    """A plan field, or a key without one, on its way: `before` in the source, `after` in the target.

    `code` and `name` are empty where the setting is simply carried over.
    """

    field: str
    fidelity: Fidelity
    setting: Setting[Any]
    before: Any
    after: Any
    code: str = ""
    name: str = ""
    effect: str = "none"
    reason: str = ""
    script: str = ""


def carried(field: str, setting: Setting[Any]) -> Note:
    """The note of a setting that is kept as it is."""
    return Note(field, Fidelity.EXACT, setting, setting.value, setting.value)


def noted(row: Transfer, setting: Setting[Any], consumer: str, after: Any = SAME, script: str = "") -> Note:
    """The note of a row: `after` is what it says, or the value given."""
    before = setting.value
    becomes = row.becomes if after is SAME else after
    becomes = before if becomes is SAME else becomes
    shown = before.value if hasattr(before, "value") else before
    text = script or row.script.get(consumer, "")
    return Note(
        row.field,
        row.fidelity,
        setting,
        before,
        becomes,
        row.code,
        row.name,
        row.effect,
        row.reason.format(value=shown) if "{value}" in row.reason else row.reason,
        text if script else text.replace("{value}", str(shown)).replace("{{", "{").replace("}}", "}"),
    )
