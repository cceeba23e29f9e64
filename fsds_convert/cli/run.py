"""The one place that turns exceptions into exit statuses."""

from __future__ import annotations

import gc
import sys

from fsds_convert import __version__
from fsds_convert.cli.streams import emit, lead_nowhere, prepare, say, show
from fsds_convert.errors import ExitCode, FsdsError


def run() -> int:
    """Runs the command that the arguments name; prints one line for an error, never a traceback unless asked for."""
    show_traceback = "--traceback" in sys.argv
    if show_traceback:
        sys.argv.remove("--traceback")
    prepare()
    gc.set_threshold(100_000)  # a tenth of the time of a command went into collecting what it still needs
    try:
        return int(_command() or ExitCode.OK)
    except FsdsError as error:
        say(f"error: {error.message}" + (f"\n  hint: {error.hint}" if error.hint else ""))
        return ExitCode.USAGE
    except OSError as error:  # of typer, which prints its help by itself
        lead_nowhere("stdout")
        say(f"error: stdout cannot be written: {error.strerror or error}")
        return ExitCode.USAGE
    except (KeyboardInterrupt, EOFError):  # typer takes the end of a terminal's input for one too
        return ExitCode.INTERRUPTED
    except Exception as error:
        return _usage_error(error) or _bug(error, show_traceback)


def _command() -> int | None:
    if sys.argv[1:] == ["--version"]:  # answered before typer is imported, which takes most of the time
        show(f"fsds {__version__}")
        return None
    if sys.argv[1:2] == ["lint"]:
        from fsds_convert.cli import lint_arguments

        arguments = lint_arguments.plain(sys.argv[2:])
        if arguments is not None:
            return lint_arguments.lint(arguments)
    from fsds_convert.cli.app import app_for

    status: int | None = app_for(next(iter(sys.argv[1:]), None))(prog_name="fsds", standalone_mode=False)
    emit(b"")  # typer leaves its help in the buffer
    return status


def _usage_error(error: Exception) -> int:
    """Typer's own errors: an unknown option or command, a value that does not fit."""
    show_usage = getattr(error, "show", None)
    if type(error).__name__ == "Abort":
        return ExitCode.INTERRUPTED
    if show_usage is None or not hasattr(error, "exit_code"):
        return 0
    show_usage()
    return ExitCode.USAGE


def _bug(error: Exception, show_traceback: bool) -> int:
    if show_traceback:
        import traceback

        say("".join(traceback.format_exception(error)))
    say(
        f"fsds {__version__} has a bug: {type(error).__name__}: {error}\n"
        "  run it again with --traceback, and report the output with the file that it was given"
    )
    return ExitCode.BUG
