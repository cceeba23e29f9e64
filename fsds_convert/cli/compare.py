"""`fsds compare`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from fsds_convert.cli import options as shared
from fsds_convert.cli.convert_options import GradientAccumulationSteps, MaxGradNorm
from fsds_convert.cli.streams import say, show
from fsds_convert.errors import ExitCode, FsdsError
from fsds_convert.transfer.options import Options
from fsds_convert.transfer.rows import Fidelity


def compare(
    left: Annotated[str, typer.Argument(metavar="A", help="A config, or - for stdin.")],
    right: Annotated[str, typer.Argument(metavar="B", help="The config to hold it against.")],
    fail_on: Annotated[shared.Bar, typer.Option(help="Exit 1 from this fidelity on.")] = shared.Bar.REFUSED,
    consumer: shared.ForOption = shared.For.ACCELERATE,
    output_format: Annotated[shared.Format, typer.Option(help="How the result is printed.")] = shared.Format.TEXT,
    model_dtype: shared.ModelDtype = None,
    mixed_precision: shared.MixedPrecisionOption = None,
    max_grad_norm: MaxGradNorm = None,
    gradient_accumulation_steps: GradientAccumulationSteps = None,
    gpus_per_node: shared.GpusPerNode = None,
    num_processes: shared.NumProcesses = None,
    num_machines: shared.NumMachines = None,
    stdin_filename: shared.StdinFilename = None,
    accelerate_version: shared.AccelerateVersion = None,
    deepspeed_version: shared.DeepspeedVersion = None,
    transformers_version: shared.TransformersVersion = None,
    torch_version: shared.TorchVersion = None,
) -> int:
    """Are these two files the same training? Exits with 1 when they differ at or above --fail-on."""
    from fsds_convert.compare import compare as run
    from fsds_convert.report.comparison import comparison_json, comparison_lines
    from fsds_convert.report.findings import finding_lines

    releases = (accelerate_version, deepspeed_version, transformers_version, torch_version)
    launch = (num_processes, num_machines, None, None, None)
    context = shared.context_of(consumer, releases, model_dtype, mixed_precision, gpus_per_node, launch)
    if left == right == "-":
        raise FsdsError("stdin can be read only once", "give a file for A or for B")
    one, other = shared.read(left, stdin_filename, context), shared.read(right, stdin_filename, context)
    chosen = Options(
        max_grad_norm=shared.max_norm(max_grad_norm), gradient_accumulation_steps=gradient_accumulation_steps
    )
    differences = run(one, other, context, chosen)
    findings = tuple(dict.fromkeys((*one.findings, *other.findings)))
    if output_format is shared.Format.JSON:
        show(json.dumps(comparison_json(one.source.name, other.source.name, differences, findings), indent=2))
    else:
        if findings:
            say("\n".join(finding_lines(findings)))
        show("\n".join(comparison_lines(differences)))
    bar = Fidelity(fail_on.value).rank
    return ExitCode.FINDINGS if any(item.rank >= bar for item in differences) else ExitCode.OK
