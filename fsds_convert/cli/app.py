"""The typer application: one line for each command."""

from __future__ import annotations

import typer

from fsds_convert.cli.compare import compare
from fsds_convert.cli.convert import convert
from fsds_convert.cli.effective import effective
from fsds_convert.cli.explain import explain
from fsds_convert.cli.lint import lint
from fsds_convert.cli.mapping import mapping
from fsds_convert.cli.schema import schema

app = typer.Typer(
    name="fsds",
    help="Accelerate and DeepSpeed training configs: what they really run, and the same training on the other one.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(convert)
app.command()(lint)
app.command()(effective)
app.command()(compare)
app.command()(explain)
app.command()(mapping)
app.command()(schema)


@app.callback(invoke_without_command=True)
def version(
    show: bool = typer.Option(False, "--version", help="Print the version and exit."),
    traceback: bool = typer.Option(False, "--traceback", help="Print the traceback of a bug in fsds."),
) -> None:
    """Accelerate and DeepSpeed training configs: what they really run, and the same training on the other one."""
    if show:
        from fsds_convert import __version__

        typer.echo(f"fsds {__version__}")
        raise typer.Exit()
