"""What `fsds lint` found, in one of its formats."""

from __future__ import annotations

from importlib import import_module

from fsds_convert.lint.outcome import Outcome, OutputFormat

_COLOURED = ("full", "concise")


def render(outcome: Outcome, format: OutputFormat, *, colour: bool = False) -> str:
    """The findings in a format, without a line break at the end; nothing for `full` without findings.

    Control characters of the files are escaped: what is left of them are the colours, where they are asked for.
    """
    # one module a format, loaded when it is asked for: most of them need what `full` does not
    module = import_module(f"fsds_convert.report.lint_{format}")
    text: str = module.render(outcome, colour=colour) if format in _COLOURED else module.render(outcome)
    return text
