"""The typer application: one line for each command."""

from __future__ import annotations

from importlib import import_module

import typer

# in the order of the help, with its line; each stands in a module of its own name, with `_` for `-`
COMMANDS = {
    "lint": "Find what is wrong, ignored or contradictory",
    "convert": "Convert a config to another engine",
    "effective": "Show what will really run",
    "compare": "Whether two files are the same training",
    "precision": "Show in which dtype each stage happens",
    "dry-run": "Train both configs for a few steps and compare",
    "explain": "Explain a rule, a key or a code",
    "mapping": "Show the table of equivalent settings",
    "schema": "Print a JSON Schema, or check files with it",
}
_HELP = "Check Accelerate, Trainer and DeepSpeed training configs, and translate them between FSDP and DeepSpeed."


def app_for(first: str | None) -> typer.Typer:
    """The application with the command that `first` names, else with all of them: each costs its imports."""
    app = typer.Typer(
        name="fsds",
        help=_HELP,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name in (first,) if first in COMMANDS else COMMANDS:
        function = str(name).replace("-", "_")
        command = getattr(import_module(f"fsds_convert.cli.{function}"), function)
        app.command(name, short_help=COMMANDS[str(name)])(command)
    app.callback(invoke_without_command=True, help=_HELP)(version)
    return app


def version(
    show: bool = typer.Option(False, "--version", help="Print the version and exit."),
    traceback: bool = typer.Option(False, "--traceback", help="Print the traceback of a bug in fsds."),
) -> None:
    """The options before any command."""
    if show:
        from fsds_convert import __version__

        typer.echo(f"fsds {__version__}")
        raise typer.Exit()
