"""What a viewer of SARIF shows of a rule, as markdown; the page of `fsds explain` says more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fsds_convert.rules.rule import Rule


def rule_help(rule: Rule) -> str:
    """What is wrong, why it matters, a file that shows it, and what stands instead."""
    return "\n\n".join(_parts(rule))


def _parts(rule: Rule) -> Iterator[str]:
    yield f"# {rule.name} ({rule.code})"
    yield f"{rule.summary}."
    yield rule.why
    for title, texts in (("Example", rule.example), ("Instead", rule.instead)):
        if texts:
            yield f"## {title}"
            yield from _files(texts, "yaml" if rule.example_kind == "yaml" else "json")
    if rule.checked:  # else it is about fsds itself
        yield f"Source: `{rule.source}`, checked with {rule.checked}"


def _files(texts: str | Mapping[str, str], language: str) -> Iterator[str]:
    if isinstance(texts, str):
        yield _block(texts, language)
    else:
        yield from (f"`{name}`:\n\n{_block(text, name.rpartition('.')[2])}" for name, text in texts.items())


def _block(text: str, language: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"
