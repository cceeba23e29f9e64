"""`fsds schema`."""

from __future__ import annotations

import json
import sys
from enum import Enum
from typing import Annotated

import typer

from fsds_convert.cli.streams import show
from fsds_convert.errors import ExitCode


class SchemaName(str, Enum):
    """The kinds of files that there is a schema for."""

    ACCELERATE = "accelerate"
    DEEPSPEED = "deepspeed"
    TRAINER_FSDP = "trainer-fsdp"


def schema(
    name: Annotated[SchemaName, typer.Argument(metavar="NAME", help="accelerate, deepspeed or trainer-fsdp.")],
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="Files for --check, or - for stdin.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Check files instead of printing the schema.")] = False,
) -> int:
    """Print the JSON Schema (draft-07) of a kind of file, for editors; or check files against it.

    With --check exits with 1 when a file is not valid.
    """
    from fsds_convert.schema.build import build

    if bool(files) is not check:
        raise typer.BadParameter("--check and files go together", param_hint="--check")
    if not check:
        show(json.dumps(build(name.value), indent=2, allow_nan=False))
        return ExitCode.OK
    from fsds_convert.schema.check import check as errors_of
    from fsds_convert.syntax.read_file import read_source

    held = build(name.value)
    found = [error for file in files or () for error in errors_of(read_source(file, sys.stdin.buffer), held)]
    if found:
        show("\n".join(f"{place}: {message}" for place, message in found))
    return ExitCode.FINDINGS if found else ExitCode.OK
