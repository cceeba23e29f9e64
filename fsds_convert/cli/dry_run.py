"""`fsds dry-run`."""

from __future__ import annotations

from pathlib import Path

import typer

from fsds_convert.cli import dry_run_options as options
from fsds_convert.cli import options as shared
from fsds_convert.cli.convert_options import GradientAccumulationSteps, MaxGradNorm
from fsds_convert.cli.dry_run_options import ScenarioChoice
from fsds_convert.cli.streams import say
from fsds_convert.errors import ExitCode, FsdsError


def dry_run(
    file: shared.File,
    against: options.Against = None,
    to: options.To = None,
    allow_lossy: options.AllowLossy = False,
    steps: options.Steps = 20,
    sequences: options.Sequences = 64,
    scenario: options.ScenarioOption = ScenarioChoice.QUICK,
    model: options.Model = None,
    model_dtype: shared.ModelDtype = None,
    learning_rate: options.LearningRate = None,
    num_processes: shared.NumProcesses = None,
    world: options.World = None,
    timeout: options.Timeout = 300.0,
    log_dir: options.LogDir = None,
    plot: options.Plot = None,
    output_format: options.OutputFormat = shared.Format.TEXT,
    print_command: options.PrintCommand = False,
    mixed_precision: shared.MixedPrecisionOption = None,
    max_grad_norm: MaxGradNorm = None,
    gradient_accumulation_steps: GradientAccumulationSteps = None,
    num_machines: options.NumMachines = None,
    machine_rank: options.MachineRank = None,
    main_process_ip: options.MainProcessIp = None,
    main_process_port: options.MainProcessPort = None,
    stdin_filename: shared.StdinFilename = None,
) -> int:
    """Really train with a config, and with its counterpart: dtypes, gradients and losses as predicted, and the same?

    A tiny Llama from seeds, on the GPUs that are here, else on the CPU. Exits with 1 when something differs or fails,
    with 4 when it cannot be run here.
    """
    from fsds_convert.cli.dry_run_work import Asked, Unrunnable, run

    if against is not None and to is not None:
        raise FsdsError("--against and --to are both given", "give one of them")
    if plot is not None and Path(plot).suffix != ".svg":
        raise typer.BadParameter(f"`{plot}` does not end in .svg", param_hint="--plot")
    asked = Asked(
        file=file,
        against=against,
        to=to,
        allow_lossy=allow_lossy,
        steps=steps,
        sequences=sequences,
        every_scenario=scenario is ScenarioChoice.ALL,
        model=model,
        model_dtype=model_dtype.value if model_dtype else None,
        learning_rate=learning_rate,
        num_processes=num_processes,
        world=world,
        timeout=timeout,
        log_dir=log_dir,
        plot=plot,
        print_command=print_command,
        mixed_precision=mixed_precision.value if mixed_precision else None,
        max_grad_norm=shared.max_norm(max_grad_norm),
        accumulation=gradient_accumulation_steps,
        nodes=(num_machines, machine_rank, main_process_ip, main_process_port),
        stdin_filename=stdin_filename,
    )
    try:
        return run(asked, as_json=output_format is shared.Format.JSON)
    except Unrunnable as error:
        say(f"error: {error.message}" + (f"\n  hint: {error.hint}" if error.hint else ""))
        return ExitCode.UNRUNNABLE
