"""The options of `fsds dry-run`."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from fsds_convert.cli.options import Format


class ScenarioChoice(str, Enum):
    """How much is tried."""

    QUICK = "quick"
    ALL = "all"


_NODES = "Several machines"

Against = Annotated[str | None, typer.Option(help="The config to hold it against.", metavar="FILE2")]
To = Annotated[str | None, typer.Option(help="Hold it against its conversion: fsdp1, fsdp2, deepspeed, ...")]
AllowLossy = Annotated[bool, typer.Option("--allow-lossy", help="Convert what --to refuses to the nearest thing.")]
Steps = Annotated[int, typer.Option(min=1, help="Optimizer steps.")]
Sequences = Annotated[int, typer.Option(min=1, help="Distinct sequences in the data, repeated.")]
LearningRate = Annotated[float | None, typer.Option(min=0.0, help="Default: that of the file, else 1e-3.")]
ScenarioOption = Annotated[ScenarioChoice, typer.Option(help="The config as it is, or all variations of it.")]
Model = Annotated[str | None, typer.Option(help="A Transformers folder or config.json; default: a tiny Llama.")]
World = Annotated[
    int | None, typer.Option(min=1, help="One process that takes itself for one of N: dtypes and shards.")
]
Timeout = Annotated[float, typer.Option(min=1.0, help="Seconds for one training.")]
LogDir = Annotated[str | None, typer.Option(help="Keep logs, results and converted files here.", metavar="FOLDER")]
Plot = Annotated[str | None, typer.Option(help="Write the loss curves as SVG.", metavar="FILE.svg")]
PrintCommand = Annotated[bool, typer.Option("--print-command", help="Print the commands and start nothing.")]
NumMachines = Annotated[int | None, typer.Option(min=1, help="Machines; started on each.", rich_help_panel=_NODES)]
MachineRank = Annotated[int | None, typer.Option(min=0, help="Which of them this is.", rich_help_panel=_NODES)]
MainProcessIp = Annotated[str | None, typer.Option(help="The address of the first.", rich_help_panel=_NODES)]
MainProcessPort = Annotated[
    int | None, typer.Option(min=1, max=65535, help="Its port; default 29500.", rich_help_panel=_NODES)
]
OutputFormat = Annotated[Format, typer.Option(help="How the result is printed.")]
