"""`fsds convert`."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator

from fsds_convert.cli import convert_options as options
from fsds_convert.cli import options as shared
from fsds_convert.cli.convert_options import DeepspeedJson, Report
from fsds_convert.cli.output import check_destination, destination, differences_of, write
from fsds_convert.cli.streams import emit, say
from fsds_convert.convert.conversion import Conversion
from fsds_convert.diagnostics import Severity
from fsds_convert.errors import ExitCode
from fsds_convert.settings.context import Context
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
    precision_mode: options.PrecisionModeOption = None,
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
    shared.check_launch(reading, context)
    place = destination(file, output, in_place=in_place, overwrite=overwrite, dry=diff or check)
    chosen = Options(
        allow_lossy=allow_lossy,
        as_executed=as_executed,
        max_grad_norm=shared.max_norm(max_grad_norm),
        gradient_accumulation_steps=gradient_accumulation_steps,
        layer_classes=shared.class_names(layer_cls),
        deepspeed_json=deepspeed_json.value,
        precision_mode=precision_mode.value if precision_mode else None,
    )
    conversion = run(reading, target, context, chosen, place.json_name)
    lossy = _too_lossy(conversion, fail_on, allow_lossy)
    dry = diff or check
    if not lossy and not dry:
        check_destination(conversion, place)
    _print_report(conversion, context, report, written=not lossy and not dry)
    if lossy:
        _say_unless_json(report, *_nothing_written(fail_on))
        return ExitCode.FINDINGS
    if dry:
        differences = differences_of(conversion, place)
        if diff:
            for difference in differences:
                emit(difference.patch.encode("utf-8", "surrogateescape"))
        else:
            _say_unless_json(report, *(difference.message for difference in differences))
        return ExitCode.FINDINGS if differences else ExitCode.OK
    _say_unless_json(report, *(f"wrote {path}" for path in write(conversion, place)))
    return ExitCode.OK


def _too_lossy(conversion: Conversion, fail_on: shared.Bar, allow_lossy: bool) -> bool:
    ranks = [note.fidelity for note in conversion.adapted.notes]
    if allow_lossy:
        ranks = [fidelity for fidelity in ranks if fidelity is not Fidelity.REFUSED]
    bar = Fidelity(fail_on.value).rank
    return any(fidelity.rank >= bar for fidelity in ranks)


def _nothing_written(fail_on: shared.Bar) -> Iterator[str]:
    yield f"nothing written: at least one setting is {fail_on.value} or worse"
    if fail_on is shared.Bar.REFUSED:
        yield "  --allow-lossy writes the nearest thing for what is refused"


def _say_unless_json(report: Report, *lines: str) -> None:
    """A JSON report stands alone on stderr."""
    if report is not Report.JSON:
        for line in lines:
            say(line)


def _print_report(conversion: Conversion, context: Context, report: Report, *, written: bool) -> None:
    if report is Report.NONE:
        from fsds_convert.report.findings import finding_lines

        errors = [found for found in conversion.findings if found.severity is Severity.ERROR]
        if errors:
            say("\n".join(finding_lines(errors)))
        return
    from fsds_convert.precision.converted import changes

    if report is Report.JSON:
        from fsds_convert.report.conversion import conversion_json
        from fsds_convert.report.precision import differences_json

        document = {**conversion_json(conversion), "precision": differences_json(changes(conversion, context))}
        say(json.dumps(document if written else {**document, "written": []}, indent=2))
        return
    from fsds_convert.report.precision import change_lines

    if sys.stderr.isatty():
        from fsds_convert.cli.table import print_table

        print_table(conversion, shutil.get_terminal_size().columns)
    else:
        from fsds_convert.report.conversion_text import report_lines

        say("\n".join(report_lines(conversion)))
    if lines := list(change_lines(changes(conversion, context))):
        say("\n".join(lines))
