"""The page of a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fsds_convert.diagnostics import Severity
from fsds_convert.explain.markdown import code, prose
from fsds_convert.explain.page import Page, page
from fsds_convert.lint.lint_file import lint
from fsds_convert.lint.outcome import Finding
from fsds_convert.lint.select import Selection
from fsds_convert.report.values import plain
from fsds_convert.rules.rule import Rule
from fsds_convert.settings.context import Context
from fsds_convert.syntax.source import load
from fsds_convert.tables.versions import Versions

_OUTCOMES = {
    "fails": "the job fails",
    "differs": "something else runs than is written",
    "advice": "worth knowing",
}
# kind of example: the name of its file, and how it is highlighted
_FILES = {
    "yaml": ("train.yaml", "yaml"),
    "json": ("ds_config.json", "json"),
    "trainer-fsdp": ("fsdp_config.json", "json"),
    "trainer-args": ("args.json", "json"),
}


def rule_page(rule: Rule) -> Page:
    """What the rule is about, why it matters, an example, and what to write instead."""
    said = _on_the_example(rule)
    return page(f"{rule.code}: {rule.name}", _parts(rule, said), _data(rule, said))


def _parts(rule: Rule, said: Finding | None) -> Iterator[str]:
    yield f"{prose(rule.summary)}."
    yield "\n".join(f"- {fact}" for fact in _facts(rule, said))
    yield "## Why"
    yield prose(rule.why)
    yield "## Example"
    yield _block(rule, rule.example)
    if said is not None:
        yield "\n".join(f"- {line}" for line in _said(said))
    if rule.instead:
        yield "## Instead"
        yield _block(rule, rule.instead)


def _facts(rule: Rule, said: Finding | None) -> Iterator[str]:
    yield f"severity: {rule.severity.value}"
    yield f"outcome: {_OUTCOMES[rule.outcome]}"
    yield f"fix: {_fix(rule, said)}"
    if rule.since is not None:
        yield f"since {rule.since.text}"
    if rule.before is not None:
        yield f"before {rule.before.text}"
    if rule.checked:
        yield f"checked with {rule.checked}"
    if "/" in rule.source:
        yield f"source: `{rule.source}`"


def _fix(rule: Rule, said: Finding | None) -> str:
    if said is not None and said.mend is not None:
        return f"{prose(said.mend.message)}: {_flag(said)}"
    return "in some cases, with `fsds lint --fix`" if any(case.fix for case in rule.cases) else "none"


def _flag(said: Finding) -> str:
    safe = said.mend is not None and said.mend.safe
    return "`fsds lint --fix`" if safe else "`fsds lint --fix --unsafe-fixes`, since it changes what runs"


def _said(said: Finding) -> Iterator[str]:
    told = said.diagnostic
    at = f"{told.place.span.line}:{told.place.span.column}: " if told.place.span else ""
    yield f"{at}{prose(told.message)}"
    yield from (f"{name}: {prose(text)}" for name, text in (("note", told.note), ("help", told.help)) if text)


def _block(rule: Rule, text: str | Mapping[str, str]) -> str:
    name, language = _FILES[rule.example_kind]
    if isinstance(text, str):
        return f"```{language}\n{text.rstrip()}\n```"
    parts = (f"{code(name)}:\n\n```{name.rpartition('.')[2]}\n{body.rstrip()}\n```" for name, body in text.items())
    return "\n\n".join(parts)


def _on_the_example(rule: Rule) -> Finding | None:
    """What the rule says of its own example, where that stands in one file."""
    if not isinstance(rule.example, str):
        return None
    given = dict(rule.example_options)
    context = Context(versions=Versions(**given.pop("versions", {})), **given)
    name, _ = _FILES[rule.example_kind]
    report = lint(load(rule.example.encode(), name), context, Selection(select=(rule.code,), severity=Severity.INFO))
    return next((f for f in report.findings if f.diagnostic.code == rule.code), None) if report else None


def _data(rule: Rule, said: Finding | None) -> dict[str, object]:
    mend = said.mend if said is not None else None
    return {
        "kind": "rule",
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "outcome": rule.outcome,
        "summary": rule.summary,
        "why": rule.why,
        "since": rule.since.text if rule.since else None,
        "before": rule.before.text if rule.before else None,
        "checked": rule.checked or None,
        "source": rule.source,
        "fix": {"message": mend.message, "safe": mend.safe} if mend else None,
        "example": {"kind": rule.example_kind, "options": plain(rule.example_options), "text": rule.example},
        "instead": rule.instead,
        "page": rule.page,
    }
