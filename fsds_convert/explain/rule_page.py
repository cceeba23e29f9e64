"""The page of a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fsds_convert.explain.example import files_of, of_example
from fsds_convert.explain.markdown import code, codes, prose
from fsds_convert.explain.page import Page, page
from fsds_convert.lint.outcome import Finding
from fsds_convert.report.values import plain, shown
from fsds_convert.rules.rule import Rule

_OUTCOMES = {
    "fails": "the job fails",
    "differs": "something else runs than is written",
    "advice": "worth knowing",
}


def rule_page(rule: Rule) -> Page:
    """What the rule is about, why it matters, an example, and what to write instead."""
    said = of_example(rule)
    return page(f"{rule.code}: {rule.name}", _parts(rule, said), _data(rule, said))


def _parts(rule: Rule, said: Finding | None) -> Iterator[str]:
    yield f"{prose(rule.summary)}."
    yield "\n".join(f"- {fact}" for fact in _facts(rule, said))
    yield "## Why"
    yield prose(rule.why)
    yield "## Example"
    if rule.example_options:
        yield f"Read with {codes(f'{name}: {shown(value)}' for name, value in rule.example_options.items())}."
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
        unsafe = "" if said.mend.safe else " --unsafe-fixes"
        return f"{prose(said.mend.message)}, with `fsds lint --fix{unsafe}`"
    return "in some cases, with `fsds lint --fix`" if any(case.fix for case in rule.cases) else "none"


def _said(said: Finding) -> Iterator[str]:
    told = said.diagnostic
    at = f"{told.place.span.line}:{told.place.span.column}: " if told.place.span else ""
    yield f"{at}{prose(told.message)}"
    yield from (f"{name}: {prose(text)}" for name, text in (("note", told.note), ("help", told.help)) if text)


def _block(rule: Rule, text: str | Mapping[str, str]) -> str:
    files = files_of(text, rule.example_kind)
    blocks = [f"```{name.rpartition('.')[2]}\n{body.rstrip()}\n```" for name, body in files.items()]
    if isinstance(text, str):
        return blocks[0]
    return "\n\n".join(f"{code(name)}:\n\n{block}" for name, block in zip(files, blocks, strict=True))


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
