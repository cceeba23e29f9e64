"""The one place that turns exceptions into exit statuses."""

from __future__ import annotations

import os
import sys
import traceback

from fsds_convert import __version__
from fsds_convert.errors import ExitCode, FsdsError


def run() -> int:
    """Runs the command that the arguments name; prints one line for an error, never a traceback unless asked for."""
    show_traceback = "--traceback" in sys.argv
    if show_traceback:
        sys.argv.remove("--traceback")
    try:
        from fsds_convert.cli.app import app

        status = app(standalone_mode=False)
        sys.stdout.flush()
        return int(status or ExitCode.OK)
    except FsdsError as error:
        print(f"error: {error.message}" + (f"\n  hint: {error.hint}" if error.hint else ""), file=sys.stderr)
        return ExitCode.USAGE
    except BrokenPipeError:
        # the reader has gone: nothing is left to say, and the interpreter must not try to at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except Exception as error:
        return _usage_error(error) or _bug(error, show_traceback)


def _usage_error(error: Exception) -> int:
    """Typer's own errors: an unknown option or command, a value that does not fit."""
    show = getattr(error, "show", None)
    if type(error).__name__ == "Abort":
        return ExitCode.INTERRUPTED
    if show is None or not hasattr(error, "exit_code"):
        return 0
    show()
    return ExitCode.USAGE


def _bug(error: Exception, show_traceback: bool) -> int:
    if show_traceback:
        traceback.print_exception(error)
    print(
        f"fsds {__version__} has a bug: {type(error).__name__}: {error}\n"
        "  run it again with --traceback, and report the output with the file that it was given",
        file=sys.stderr,
    )
    return ExitCode.BUG
