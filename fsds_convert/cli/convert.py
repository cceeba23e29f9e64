"""`fsds convert`."""

from __future__ import annotations

import json
import shutil
import sys

from fsds_convert.cli import convert_options as options
from fsds_convert.cli import options as shared
from fsds_convert.cli.convert_options import DeepspeedJson, Report
from fsds_convert.cli.output import Destination, destination, differs, write
from fsds_convert.convert.conversion import Conversion
from fsds_convert.errors import ExitCode
from fsds_convert.transfer.options import Options
from fsds_convert.transfer.rows import Fidelity


def convert(
    file: shared.File,
    to: options.To,
    output: options.Output = None,
    in_place: options.InPlace = False,
    overwrite: options.Overwrite = False,
    diff: options.Diff = False,
    check: options.Check = False,
    report: options.ReportOption = Report.TEXT,
    allow_lossy: options.AllowLossy = False,
    fail_on: options.FailOn = shared.Bar.REFUSED,
    as_executed: options.AsExecuted = False,
    consumer: shared.ForOption = shared.For.ACCELERATE,
    model_dtype: shared.ModelDtype = None,
    mixed_precision: shared.MixedPrecisionOption = None,
    max_grad_norm: options.MaxGradNorm = None,
    gradient_accumulation_steps: options.GradientAccumulationSteps = None,
    layer_cls: options.LayerCls = None,
    deepspeed_json: options.DeepspeedJsonOption = DeepspeedJson.AUTO,
    gpus_per_node: shared.GpusPerNode = None,
    num_processes: shared.NumProcesses = None,
    num_machines: shared.NumMachines = None,
    machine_rank: shared.MachineRank = None,
    main_process_ip: shared.MainProcessIp = None,
    main_process_port: shared.MainProcessPort = None,
    stdin_filename: shared.StdinFilename = None,
    accelerate_version: shared.AccelerateVersion = None,
    deepspeed_version: shared.DeepspeedVersion = None,
    transformers_version: shared.TransformersVersion = None,
    torch_version: shared.TorchVersion = None,
) -> int:
    """Convert a config to another engine: the same training, with a report on every setting."""
    from fsds_convert.convert.convert import convert as run
    from fsds_convert.convert.target import target_of

    target = target_of(to)
    launch = (num_processes, num_machines, machine_rank, main_process_ip, main_process_port)
    releases = (accelerate_version, deepspeed_version, transformers_version, torch_version)
    context = shared.context_of(consumer, releases, model_dtype, mixed_precision, gpus_per_node, launch)
    reading = shared.read(file, stdin_filename, context)
    place = destination(file, output, in_place=in_place, overwrite=overwrite, dry=diff or check)
    chosen = Options(
        allow_lossy=allow_lossy,
        as_executed=as_executed,
        max_grad_norm=shared.max_norm(max_grad_norm),
        gradient_accumulation_steps=gradient_accumulation_steps,
        layer_classes=tuple(name.strip() for name in layer_cls.split(",")) if layer_cls else None,
        deepspeed_json=deepspeed_json.value,
    )
    conversion = run(reading, target, context, chosen, place.json_name)
    _print_report(conversion, report)
    if _too_lossy(conversion, fail_on, allow_lossy):
        return ExitCode.FINDINGS
    return _finish(conversion, place, diff=diff, check=check)


def _finish(conversion: Conversion, place: Destination, *, diff: bool, check: bool) -> int:
    if diff or check:
        return ExitCode.FINDINGS if differs(conversion, place, show=diff) else ExitCode.OK
    write(conversion, place)
    return ExitCode.OK


def _too_lossy(conversion: Conversion, fail_on: shared.Bar, allow_lossy: bool) -> bool:
    ranks = [note.fidelity for note in conversion.adapted.notes]
    if allow_lossy:
        ranks = [fidelity for fidelity in ranks if fidelity is not Fidelity.REFUSED]
    bar = Fidelity(fail_on.value).rank
    reached = any(fidelity.rank >= bar for fidelity in ranks)
    if reached:
        print(f"nothing written: at least one setting is {fail_on.value} or worse", file=sys.stderr)
        if fail_on is shared.Bar.REFUSED:
            print("  --allow-lossy writes the nearest thing for what is refused", file=sys.stderr)
    return reached


def _print_report(conversion: Conversion, report: Report) -> None:
    if report is Report.NONE:
        return
    if report is Report.JSON:
        from fsds_convert.report.conversion import conversion_json

        print(json.dumps(conversion_json(conversion), indent=2), file=sys.stderr)
        return
    if sys.stderr.isatty():
        from fsds_convert.cli.table import print_table

        print_table(conversion, shutil.get_terminal_size().columns)
    else:
        from fsds_convert.report.conversion_text import report_lines

        print("\n".join(report_lines(conversion)), file=sys.stderr)
