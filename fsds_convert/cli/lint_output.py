"""Where findings are printed, and in which format."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from fsds_convert.cli.streams import emit, say
from fsds_convert.lint.outcome import Outcome, OutputFormat
from fsds_convert.report.lint import render
from fsds_convert.report.lint_summary import summary
from fsds_convert.syntax.edits import write_atomically

if TYPE_CHECKING:
    from fsds_convert.cli.lint_run import Job


def print_outcome(outcome: Outcome, job: Job, *, to_stderr: bool) -> None:
    """The findings on stdout, or in a file; the summary of those that people read on stderr."""
    format = _format(job.output_format)
    into_file = job.output_file is not None and job.output_file != "-"
    text = render(outcome, format, colour=not into_file and not to_stderr and _in_colour(job.colour))
    if into_file:
        write_atomically(job.output_file or "", f"{text}\n" if text else "", "utf-8", False, overwrite=True)
    elif text and to_stderr:
        say(text)
    elif text:
        emit(f"{text}\n".encode(sys.stdout.encoding or "utf-8", "backslashreplace"))
    if format in ("full", "concise") or into_file:
        say(("\n" if text and format == "full" and not into_file else "") + summary(outcome))


def _format(asked: str | None) -> OutputFormat:
    if asked is not None:
        return asked  # type: ignore[return-value]  # the option and the project's settings know these words only
    if os.environ.get("GITHUB_ACTIONS") == "true" and os.environ.get("GITHUB_WORKFLOW"):
        return "github"
    return "full" if sys.stdout.isatty() else "concise"


def _in_colour(asked: str) -> bool:
    if asked != "auto":
        return asked == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
