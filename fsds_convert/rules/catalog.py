"""Every rule by its code: those that reading a file finds, and those of the tables of rules."""

from __future__ import annotations

from functools import cache
from typing import Any

from fsds_convert.diagnostics import Severity
from fsds_convert.errors import TableError
from fsds_convert.rules.rule import Case, Outcome, Rule
from fsds_convert.tables.load import load_document
from fsds_convert.tables.row import Since
from fsds_convert.tables.versions import Versions, checked

_TABLES = ("rules-launch", "rules-fsdp", "rules-deepspeed", "rules-deepspeed-json", "rules-trainer", "rules-script")
_CASE_TUPLES = ("containers", "engines", "lacks", "at")
_CASE_PLAIN = ("runs", "writes", "plan", "check", "message", "note", "help", "fix")


@cache
def catalog() -> dict[str, Rule]:
    """All rules in the order of their codes; raises TableError for a row that is not well formed."""
    rows = [(name, row) for name in ("findings", *_TABLES) for row in load_document(name)["rows"]]
    rules: dict[str, Rule] = {}
    for table, row in sorted(rows, key=lambda pair: str(pair[1]["code"])):
        try:
            rule = _rule(table, row)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise TableError(f"mappings/{table}.yaml: {row.get('code')}: {type(error).__name__}: {error}") from error
        if rule.code in rules:
            raise TableError(f"mappings/{table}.yaml: {rule.code} is used twice")
        rules[rule.code] = rule
    return rules


_LAUNCHED = ("accelerate", "deepspeed-json")


@cache
def speaking(
    container: str, engine: str, outcomes: tuple[Outcome, ...], consumer: str, versions: Versions
) -> tuple[tuple[Rule, Case], ...]:
    """The cases that may speak of a file of the container, for the engine, the consumer and the releases."""
    return tuple(
        (rule, case)
        for rule in catalog().values()
        for case in rule.cases
        if rule.outcome in outcomes
        and (not case.containers or container in case.containers)
        and (not case.engines or engine in case.engines)
        and (not case.consumers or consumer in case.consumers)
        and (case.since is None or case.since.reached(versions))
        and (case.before is None or not case.before.reached(versions))
    )


def _rule(table: str, row: dict[str, Any]) -> Rule:
    shared = {name: row[name] for name in _CASE if name in row}
    cases = tuple(_case({**shared, **case}) for case in row.get("cases", ({},) if shared else ()))
    example = row["example"]
    return Rule(
        code=row["code"],
        name=row["name"],
        severity=Severity(row["severity"]),
        outcome=row.get("outcome", "advice"),
        summary=row["summary"],
        why=row["why"].strip(),
        source=row["source"],
        checked=checked(row["source"]),
        example=example,
        instead=row["instead"],
        example_kind=row.get("example_kind", "yaml"),
        example_options=row.get("example_options", {}),
        cases=cases,
        since=_since(row, "since"),
        before=_since(row, "before"),
        covers=_listed(row.get("covers", ())),
        table=table,
    )


def _case(raw: dict[str, Any]) -> Case:
    given: dict[str, Any] = {name: raw[name] for name in _CASE_PLAIN if name in raw}
    given |= {name: _listed(raw[name]) for name in _CASE_TUPLES if name in raw}
    consumers = _listed(raw["for"]) if "for" in raw else ()
    return Case(consumers=consumers, since=_since(raw, "since"), before=_since(raw, "before"), **given)


def _listed(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _since(raw: dict[str, Any], name: str) -> Since | None:
    return Since.parse(raw[name]) if name in raw else None


# what cases of a rule may share
_CASE = (*_CASE_TUPLES, *_CASE_PLAIN, "for", "since", "before")
