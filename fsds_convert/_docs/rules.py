"""The pages of the rules, and their index."""

from __future__ import annotations

from collections.abc import Iterator

from fsds_convert.explain.markdown import link_to, prose, table
from fsds_convert.explain.rule_page import rule_page
from fsds_convert.rules.catalog import catalog

_INTRO = """# Rules

Generated from `mappings/` by `make docs`; a test fails when it is not current. `fsds explain CODE` prints a page,
`fsds lint` reports the rules. The hundred of a code tells what it is about: 0xx syntax and suppressions, 1xx keys and
values, 2xx FSDP, 3xx DeepSpeed inline, 4xx launch, 5xx DeepSpeed JSON, 6xx Trainer, 7xx model and script. The codes of
a conversion, 9xx, stand in [mapping.md](../mapping.md#transfer).
"""


def pages() -> dict[str, str]:
    """File name below docs/rules/: its text."""
    found = {f"{code}.md": rule_page(rule).markdown for code, rule in catalog().items()}
    return {"README.md": "\n".join(_index()), **found}


def _index() -> Iterator[str]:
    yield _INTRO
    yield from table(
        ("code", "name", "severity", "summary"),
        (
            (link_to(rule.code, f"{rule.code}.md"), rule.name, rule.severity.value, prose(rule.summary))
            for rule in catalog().values()
        ),
    )
