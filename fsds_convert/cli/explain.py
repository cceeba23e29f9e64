"""`fsds explain`."""

from __future__ import annotations

import json
from enum import Enum
from typing import Annotated

import typer

from fsds_convert.cli.streams import show
from fsds_convert.errors import ExitCode


class PageFormat(str, Enum):
    """How a page is printed."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


def _complete(beginning: str) -> list[str]:
    from fsds_convert.explain.explain import words

    return [word for word in words() if word.startswith(beginning)]


def explain(
    word: Annotated[
        str | None,
        typer.Argument(
            metavar="CODE|KEY|FIELD",
            help="A rule or code of a conversion, a key of a config, a plan field, or: stage, state-dict.",
            autocompletion=_complete,
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every rule.")] = False,
    output_format: Annotated[PageFormat, typer.Option(help="How the page is printed.")] = PageFormat.TEXT,
) -> int:
    """Explain a rule, the code of a conversion, or a key: what it does, and what it is in the other engines."""
    from fsds_convert.explain.explain import explain as page_of
    from fsds_convert.explain.rule_page import rule_page
    from fsds_convert.rules.catalog import catalog

    if (word is not None) is everything:
        raise typer.BadParameter("give a code, a key or a plan field, or --all", param_hint="CODE|KEY|FIELD")
    pages = [page_of(word)] if word is not None else [rule_page(rule) for rule in catalog().values()]
    if output_format is PageFormat.JSON:
        data = [page.data for page in pages]
        show(json.dumps(data if everything else data[0], indent=2))
    else:
        from fsds_convert.cli.page import print_page

        print_page("\n".join(page.markdown for page in pages), as_it_is=output_format is PageFormat.MARKDOWN)
    return ExitCode.OK
