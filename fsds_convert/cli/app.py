"""The typer application: one line for each command."""

from __future__ import annotations

from importlib import import_module

import typer

# in the order of the help; each stands in a module of its own name, with `_` for `-`
COMMANDS = ("convert", "lint", "effective", "compare", "precision", "dry-run", "explain", "mapping", "schema")


def app_for(first: str | None) -> typer.Typer:
    """The application with the command that `first` names, else with all of them: each costs its imports."""
    app = typer.Typer(
        name="fsds",
        help="Accelerate and DeepSpeed training configs: what they really run, and the same training on the other one.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name in (first,) if first in COMMANDS else COMMANDS:
        function = str(name).replace("-", "_")
        app.command(name)(getattr(import_module(f"fsds_convert.cli.{function}"), function))
    app.callback(invoke_without_command=True)(version)
    return app


def version(
    show: bool = typer.Option(False, "--version", help="Print the version and exit."),
    traceback: bool = typer.Option(False, "--traceback", help="Print the traceback of a bug in fsds."),
) -> None:
    """Accelerate and DeepSpeed training configs: what they really run, and the same training on the other one."""
    if show:
        from fsds_convert import __version__

        typer.echo(f"fsds {__version__}")
        raise typer.Exit()
