"""The page of a key: its rows in every dialect, the same setting elsewhere, conversions and rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fsds_convert.explain.accepts import accepts
from fsds_convert.explain.dialects import TITLES, names
from fsds_convert.explain.facts import facts
from fsds_convert.explain.field_page import field_parts
from fsds_convert.explain.mapping import equivalences, mapping_data
from fsds_convert.explain.markdown import code, prose
from fsds_convert.explain.page import Page, page
from fsds_convert.report.values import plain
from fsds_convert.rules.catalog import catalog
from fsds_convert.rules.rule import Case, Rule
from fsds_convert.tables.row import Row

Found = Sequence[tuple[str, Row]]  # the name of a table, and a row of it


def key_page(word: str, found: Found) -> Page:
    """The page of the rows that a word names."""
    fields = list(dict.fromkeys(row.field for _, row in found if row.field))
    rules = rules_about({row.key for _, row in found} | {row.json for _, row in found if row.json})
    return page(code(word), _parts(found, fields, rules), _data(word, found, fields, rules))


def rules_about(keys: set[str]) -> list[Rule]:
    """The rules that look at one of the keys, or change it."""
    return [rule for rule in catalog().values() if any(keys & _keys(case) for case in rule.cases)]


def _keys(case: Case) -> set[str]:
    mended = {key for part in (case.fix or {}).values() if isinstance(part, (dict, list)) for key in part}
    return {*case.runs, *case.writes, *case.lacks, *(key.removesuffix("*") for key in case.at), *mended}


def _parts(found: Found, fields: list[str], rules: list[Rule]) -> Iterator[str]:
    for table, row in found:
        engines = f" ({names(row.engines)} only)" if row.engines else ""
        yield f"## {TITLES[table]}: {code(row.key)}{engines}"
        yield prose(row.note)
        yield "\n".join(f"- {fact}" for fact in (f"accepts: {accepts(row)}", *facts(row)))
    for field in fields:
        yield from field_parts(field)
    if rules:
        yield "## Rules that look at it"
        yield "\n".join(f"- {rule.code} ({rule.severity.value}): {prose(rule.summary)}" for rule in rules)


def _data(word: str, found: Found, fields: list[str], rules: list[Rule]) -> dict[str, Any]:
    return {
        "kind": "key",
        "name": word,
        "rows": [_row(table, row) for table, row in found],
        "fields": [entry for field in fields for entry in mapping_data(equivalences(field))],
        "rules": [{"code": rule.code, "severity": rule.severity.value, "summary": rule.summary} for rule in rules],
    }


def _row(table: str, row: Row) -> dict[str, Any]:
    defaults = [
        {
            "consumer": default.consumer,
            "value": plain(default.value),
            "engines": list(default.condition.engines),
            "since": default.condition.since.text if default.condition.since else None,
            "before": default.condition.before.text if default.condition.before else None,
            "when": plain(dict(default.condition.when)),
        }
        for default in row.defaults
    ]
    return {
        "table": table,
        "key": row.key,
        "engines": list(row.engines),
        "field": row.field,
        "type": row.type,
        "accepts": accepts(row),
        "spellings": [plain(spelling) for spelling in row.values],
        "aliases": list(row.aliases),
        "defaults": defaults,
        "since": row.since.text if row.since else None,
        "removed": row.removed.text if row.removed else None,
        "replaced_by": row.replaced_by,
        "ignored": [ignored.note for ignored in row.ignored],
        "json": row.json,
        "note": row.note,
        "source": row.source,
    }
