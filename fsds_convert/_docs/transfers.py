"""What becomes of each plan field, and what an engine does by itself."""

from __future__ import annotations

from collections.abc import Iterator

from fsds_convert.engines.fields import plan_value
from fsds_convert.explain.dialects import ENGINES, names
from fsds_convert.explain.markdown import code, heading, link, prose, table
from fsds_convert.explain.transfers import TOGETHER, conditions, sentence, transfers_of
from fsds_convert.plan.training_plan import FIELDS
from fsds_convert.tables.load import load_document
from fsds_convert.transfer.rows import advice


def sections() -> Iterator[str]:
    """Every plan field with its rows, the advice printed after a report, and the engines' own settings."""
    yield heading(2, "What becomes of each plan field", "transfer")
    yield (
        "The first row that matches is taken; a field that no row matches is carried over as it is (exact). Where a"
        " row follows from more than one field, a small function decides: `fsds_convert/transfer/`.\n"
    )
    for path in FIELDS:
        yield heading(3, path, "field", path)
        rows = transfers_of(path)
        if rows:
            yield "\n".join(f"- {sentence(row)}" for row in rows) + "\n"
        elif path in TOGETHER:
            yield f"Goes with {link(TOGETHER[path], 'field', TOGETHER[path])}.\n"
        else:
            yield "Carried over as it is.\n"
    yield heading(2, "Advice after a report", "advice")
    yield from table(
        ("from", "to", "when", "advice"),
        (
            (names(item.sources), names(item.targets), conditions(item.when, item.consumer), prose(item.text))
            for item in advice()
        ),
    )
    yield from _engines()


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
