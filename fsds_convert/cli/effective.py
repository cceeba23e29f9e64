"""`fsds effective`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from fsds_convert.cli import options as shared
from fsds_convert.cli.streams import show
from fsds_convert.errors import ExitCode


def effective(
    file: shared.File,
    consumer: shared.ForOption = shared.For.ACCELERATE,
    everything: Annotated[bool, typer.Option("--all", help="Also the keys that have no plan field.")] = False,
    output_format: Annotated[shared.Format, typer.Option(help="How the result is printed.")] = shared.Format.TEXT,
    model_dtype: shared.ModelDtype = None,
    mixed_precision: shared.MixedPrecisionOption = None,
    gpus_per_node: shared.GpusPerNode = None,
    num_processes: shared.NumProcesses = None,
    num_machines: shared.NumMachines = None,
    stdin_filename: shared.StdinFilename = None,
    accelerate_version: shared.AccelerateVersion = None,
    deepspeed_version: shared.DeepspeedVersion = None,
    transformers_version: shared.TransformersVersion = None,
    torch_version: shared.TorchVersion = None,
) -> int:
    """Show what will really run: each setting, what was written, and where it comes from.

    Exits with 1 when the file does not launch as it is.
    """
    from fsds_convert.report.effective import effective_json, effective_lines

    releases = (accelerate_version, deepspeed_version, transformers_version, torch_version)
    launch = (num_processes, num_machines, None, None, None)
    context = shared.context_of(consumer, releases, model_dtype, mixed_precision, gpus_per_node, launch)
    reading = shared.read(file, stdin_filename, context)
    if output_format is shared.Format.JSON:
        show(json.dumps(effective_json(reading), indent=2))
    else:
        show("\n".join(effective_lines(reading, everything=everything)))
    return ExitCode.OK if reading.launches else ExitCode.FINDINGS
