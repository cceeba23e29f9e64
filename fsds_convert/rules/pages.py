"""Where the page of a rule stands."""

from __future__ import annotations

# the address of the documentation with a slash at its end; empty, which makes links relative, while there is none
ADDRESS = ""


def page_path(code: str) -> str:
    """The page of a rule as a file of the repository."""
    return f"docs/rules/{code}.md"


def page_url(code: str) -> str:
    """The page of a rule: its path as long as there is no address."""
    return f"{ADDRESS}{page_path(code)}"
