"""Markdown on a terminal, and off it."""

from __future__ import annotations

import os
import sys

from fsds_convert.cli.streams import show
from fsds_convert.explain.page import plain


def print_page(markdown: str, *, as_it_is: bool) -> None:
    """Prints a page: rendered where a person looks at it, else as plain text, or Markdown where that is asked for."""
    if as_it_is:
        show(markdown.rstrip("\n"))
    elif sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        from rich.console import Console
        from rich.markdown import Markdown

        console = Console()
        with console.capture() as captured:
            console.print(Markdown(markdown))
        sys.stdout.write(captured.get())
        sys.stdout.flush()
    else:
        show(plain(markdown))
