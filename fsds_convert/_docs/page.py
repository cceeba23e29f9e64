"""The page as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from fsds_convert._docs import keys, transfers
from fsds_convert.explain.dialects import TITLES
from fsds_convert.explain.markdown import heading, link, table
from fsds_convert.tables.load import load_document

_INTRO = """# The tables

Generated from `mappings/` by `make docs`; a test fails when it is not current. Each fact about a key stands in one row,
and `effective`, `convert` and `compare` read that row. The source of a row is a file and line of the upstream package.

A *plan field* is a setting in the field's own words, the same for every engine. *Fidelity* and *effect* are explained
in [convert.md](convert.md#fidelity-and-exit-status).
"""

# the types of settings/coerce.py, for readers of the page
_TYPES = {
    "truth": "y, yes, t, true, on, 1 or n, no, f, false, off, 0, in any case; anything else raises",
    "true-only": "true only for the word true, in any case; everything else is false without a word",
    "flag": "Python's truth of the value: the text `false` is true",
    "env-int, env-float, env-text": "the text of the value, read as a number or as it is",
    "bool, int, float, text, path, list, mapping": "the value as YAML or JSON has it; another kind raises",
    "raw": "whatever YAML or JSON makes of the value",
    "pydantic-bool, pydantic-int, pydantic-float": "as pydantic coerces: `true`, `1` and the text `true` are the same",
    "choice": "one of the spellings",
    "process-count": "a number above 0, also as text, or torchrun's gpu, cpu and auto",
    "attention": "one of the spellings, or a flash-attn kernel of the hub",
    "truth-list": "three values as under truth",
    "class-names": "names separated by commas, without spaces",
    "class-list": "the same, or a list of names",
    "section": "a mapping with keys of its own",
    "dead": "accepted and never used",
    "refused": "raises whatever the value",
}


def page() -> str:
    """The text of docs/mapping.md."""
    return "\n".join(_lines()).rstrip() + "\n"


def _lines() -> Iterator[str]:
    yield _INTRO
    yield f"- {link('Types', 'types')}"
    yield from (f"- {link(title, name)}" for name, title in TITLES.items())
    yield f"- {link('What becomes of each plan field', 'transfer')}"
    yield f"- {link('Advice after a report', 'advice')}"
    yield f"- {link('What an engine does by itself', 'engines')}"
    yield f"- {link('Codes of findings', 'findings')}\n"
    yield heading(2, "Types", "types")
    yield from table(("type", "what is read"), _TYPES.items())
    yield from keys.sections()
    yield from transfers.sections()
    yield heading(2, "Codes of findings", "findings")
    yield "What can be said about a file while it is read. What a conversion loses has its code in the tables above.\n"
    rows = load_document("findings")["rows"]
    yield from table(
        ("code", "name", "severity"), ((row["code"], row["name"].replace("-", " "), row["severity"]) for row in rows)
    )
