"""What a conversion makes of a plan field, as sentences of Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsds_convert.explain.dialects import names
from fsds_convert.explain.markdown import code, codes, prose
from fsds_convert.transfer.rows import SAME, Fidelity, Transfer, transfers

# compute, master weights and optimizer states are one decision (transfer/precision.py)
TOGETHER = dict.fromkeys(("precision.master_weights", "precision.optimizer_states"), "precision.compute")


def transfers_of(field: str) -> list[Transfer]:
    """The rows of a field, in the order in which they are tried."""
    return [row for row in transfers() if row.field == field]


def sentence(row: Transfer) -> str:
    """Code, route and condition, fidelity, result and reason."""
    value = codes(row.values) if row.values is not None else ""
    if row.not_values is not None:
        value = f"not {codes(row.not_values)}"
    holds = "; ".join(part for part in (route(row), value, conditions(row.when, row.consumer)) if part)
    return f"**{row.code}** {holds}: **{row.fidelity.value}**{_effect(row)}, {_becomes(row)}: {_reason(row)}"


def route(row: Transfer) -> str:
    """FSDP1, FSDP2 to DeepSpeed."""
    return f"{names(row.sources)} to {names(row.targets)}" if row.sources else "any engines"


def conditions(when: Mapping[str, tuple[Any, ...]], consumer: str | None) -> str:
    """The values of other fields, and the consumer, for which something holds."""
    parts = [f"{path} {codes(values)}" for path, values in when.items()]
    return ", ".join([*parts, *([f"`--for {consumer}`"] if consumer else [])])


def _effect(row: Transfer) -> str:
    return f" ({row.effect})" if row.effect != "none" else ""


def _reason(row: Transfer) -> str:
    return f"{prose(row.reason)}{_script(row)}"


def _becomes(row: Transfer) -> str:
    becomes = "the same" if row.becomes is SAME else f"becomes {code(row.becomes)}"
    if row.becomes is SAME and row.chosen_by:
        becomes = "by the values of the source"
    return f"with `--allow-lossy` {becomes}" if row.fidelity is Fidelity.REFUSED else becomes


def _script(row: Transfer) -> str:
    lines = {consumer: code(text.replace("{{", "{").replace("}}", "}")) for consumer, text in row.script.items()}
    if len(lines) > 1 and len(set(lines.values())) == 1:
        return f". In the script: {next(iter(lines.values()))}"
    return "".join(f". With `--for {consumer}`: {text}" for consumer, text in lines.items())
