"""What becomes of each plan field, and what an engine does by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fsds_convert._docs.keys import ENGINES, names
from fsds_convert._docs.markdown import code, codes, heading, link, prose, table
from fsds_convert.engines.fields import plan_value
from fsds_convert.plan.training_plan import FIELDS
from fsds_convert.tables.load import load_document
from fsds_convert.transfer.rows import SAME, Fidelity, Transfer, advice, transfers

# compute, master weights and optimizer states are one decision (transfer/precision.py)
_TOGETHER = dict.fromkeys(("precision.master_weights", "precision.optimizer_states"), "precision.compute")


def sections() -> Iterator[str]:
    """Every plan field with its rows, the advice printed after a report, and the engines' own settings."""
    yield heading(2, "What becomes of each plan field", "transfer")
    yield (
        "The first row that matches is taken; a field that no row matches is carried over as it is (exact). Where a"
        " row follows from more than one field, a small function decides: `fsds_convert/transfer/`.\n"
    )
    for path in FIELDS:
        yield heading(3, path, "field", path)
        rows = [row for row in transfers() if row.field == path]
        if rows:
            yield "\n".join(f"- {_row(row)}" for row in rows) + "\n"
        elif path in _TOGETHER:
            yield f"Goes with {link(_TOGETHER[path], 'field', _TOGETHER[path])}.\n"
        else:
            yield "Carried over as it is.\n"
    yield heading(2, "Advice after a report", "advice")
    yield from table(
        ("from", "to", "when", "advice"),
        (
            (names(item.sources), names(item.targets), _when(item.when, item.consumer), prose(item.text))
            for item in advice()
        ),
    )
    yield from _engines()


def _row(row: Transfer) -> str:
    value = codes(row.values) if row.values is not None else ""
    if row.not_values is not None:
        value = f"not {codes(row.not_values)}"
    holds = "; ".join(part for part in (_route(row), value, _when(row.when, row.consumer)) if part)
    effect = f" ({row.effect})" if row.effect != "none" else ""
    return (
        f"**{row.code}** {holds}: **{row.fidelity.value}**{effect}, {_becomes(row)}: {prose(row.reason)}{_script(row)}"
    )


def _route(row: Transfer) -> str:
    return f"{names(row.sources)} to {names(row.targets)}" if row.sources else "any engines"


def _becomes(row: Transfer) -> str:
    becomes = "the same" if row.becomes is SAME else f"becomes {code(row.becomes)}"
    if row.becomes is SAME and row.chosen_by:
        becomes = f"as `{row.chosen_by}` decides"
    return f"with `--allow-lossy` {becomes}" if row.fidelity is Fidelity.REFUSED else becomes


def _script(row: Transfer) -> str:
    lines = {consumer: code(text.replace("{{", "{").replace("}}", "}")) for consumer, text in row.script.items()}
    if len(lines) > 1 and len(set(lines.values())) == 1:
        return f". In the script: {next(iter(lines.values()))}"
    return "".join(f". With `--for {consumer}`: {text}" for consumer, text in lines.items())


def _when(when: Mapping[str, tuple[Any, ...]], consumer: str | None) -> str:
    parts = [f"{path} {codes(values)}" for path, values in when.items()]
    return ", ".join([*parts, *([f"`--for {consumer}`"] if consumer else [])])


def _engines() -> Iterator[str]:
    document = load_document("engines")["engines"]
    yield heading(2, "What an engine does by itself", "engines")
    yield "Plan fields that no key of the config decides. The last table holds where an engine's own has no row.\n"
    for engine, rows in document.items():
        yield heading(3, ENGINES.get(engine, "Every engine"), "engine", engine)
        yield from table(
            ("plan field", "value", "note", "source"),
            (
                (
                    path,
                    code(plan_value(row["value"])),
                    prose(row["note"]),
                    f"`{row['source']}`" if "source" in row else "",
                )
                for path, row in rows.items()
            ),
        )
