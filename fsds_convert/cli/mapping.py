"""`fsds mapping`."""

from __future__ import annotations

import json
from enum import Enum
from typing import Annotated

import typer

from fsds_convert.cli.explain import PageFormat
from fsds_convert.cli.streams import show
from fsds_convert.errors import ExitCode, UnknownName


class EngineName(str, Enum):
    """The engines of the table."""

    FSDP1 = "fsdp1"
    FSDP2 = "fsdp2"
    DEEPSPEED = "deepspeed"


def _complete(beginning: str) -> list[str]:
    from fsds_convert.plan.training_plan import FIELDS

    return [path for path in FIELDS if path.startswith(beginning)]


def mapping(
    field: Annotated[
        str | None,
        typer.Option(help="One plan field, or a group of them.", metavar="FIELD", autocompletion=_complete),
    ] = None,
    engine: Annotated[EngineName | None, typer.Option(help="What concerns one engine.")] = None,
    output_format: Annotated[PageFormat, typer.Option(help="How the table is printed.")] = PageFormat.TEXT,
) -> int:
    """Show the table of equivalent settings: the keys of each engine, and what a conversion keeps."""
    from fsds_convert.explain.mapping import equivalences, mapping_data, mapping_markdown, mapping_text
    from fsds_convert.plan.training_plan import FIELDS
    from fsds_convert.syntax.closest import closest

    entries = equivalences(field, engine.value if engine else None)
    if not entries:
        raise UnknownName("plan field", field or "", closest(field or "", FIELDS))
    if output_format is PageFormat.JSON:
        show(json.dumps(mapping_data(entries), indent=2))
    else:
        as_text = output_format is PageFormat.TEXT
        show(mapping_text(entries) if as_text else mapping_markdown(entries).rstrip("\n"))
    return ExitCode.OK
