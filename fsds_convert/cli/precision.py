"""`fsds precision`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fsds_convert.cli import options as shared
from fsds_convert.cli.convert_options import GradientAccumulationSteps
from fsds_convert.cli.streams import say, show
from fsds_convert.errors import ExitCode, FsdsError, InputError

if TYPE_CHECKING:
    from fsds_convert.containers.reading import Reading
    from fsds_convert.precision.parameters import ModelSize
    from fsds_convert.settings.context import Context

_PARAMS = "Parameters of the model: shows the memory of a rank."
_CONFIG = "The config.json of the Transformers model, whose parameters are counted."


def precision(
    file: Annotated[str | None, typer.Argument(metavar="FILE", help="A config, or - for stdin.")] = None,
    other: Annotated[str | None, typer.Argument(metavar="FILE2", help="A config to hold it against.")] = None,
    model_dtype: shared.ModelDtype = None,
    table: Annotated[bool, typer.Option("--table", help="The table of Accelerate's concept guide, computed.")] = False,
    params: Annotated[str | None, typer.Option(help=_PARAMS, metavar="7B")] = None,
    model_config: Annotated[str | None, typer.Option(help=_CONFIG, metavar="CONFIG.JSON")] = None,
    gradient_accumulation_steps: GradientAccumulationSteps = None,
    consumer: shared.ForOption = shared.For.ACCELERATE,
    output_format: Annotated[shared.Format, typer.Option(help="How the result is printed.")] = shared.Format.TEXT,
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
    """Show the dtype of weights, gradients and optimizer states at each stage of a step, of one config or of two.

    With --params or --model-config also the memory of a rank, for this config and its counterparts. Exits with 1 when
    a config does not launch as it is.
    """
    releases = (accelerate_version, deepspeed_version, transformers_version, torch_version)
    launch = (num_processes, num_machines, None, None, None)
    context = shared.context_of(consumer, releases, model_dtype, mixed_precision, gpus_per_node, launch)
    as_json = output_format is shared.Format.JSON
    if table:
        if file is not None:
            raise FsdsError("--table stands for itself", "leave the file out")
        _show_table(context, as_json=as_json)
        return ExitCode.OK
    if file is None:
        raise FsdsError("no config is given", "fsds precision FILE, or fsds precision --table")
    if file == other == "-":
        raise FsdsError("stdin can be read only once", "give a file for FILE or for FILE2")
    size = _size(params, model_config)
    files = [name for name in (file, other) if name is not None]
    readings = [shared.read(name, stdin_filename, context) for name in files]
    for reading in readings:
        reading.require_deepspeed_file()
        shared.check_launch(reading, context)
    if as_json:
        show(json.dumps(_document(readings, context, size, gradient_accumulation_steps), indent=2))
    else:
        _print(readings, context, size, gradient_accumulation_steps)
    return ExitCode.OK if all(reading.launches for reading in readings) else ExitCode.FINDINGS


def _size(params: str | None, model_config: str | None) -> ModelSize | None:
    from fsds_convert.precision.parameters import size_from_config, size_of
    from fsds_convert.syntax.read_file import read_source

    if model_config is None:
        return size_of(params) if params is not None else None
    path = Path(model_config)
    source = read_source(str(path / "config.json" if path.is_dir() else path), format="json")
    if not isinstance(source.data, dict):
        raise InputError(source.name, "no config.json of a Transformers model", "name the model's folder or its file")
    text = source.data.get("text_config")
    counted = size_from_config(text if isinstance(text, dict) and "hidden_size" not in source.data else source.data)
    return counted if params is None else replace(counted, parameters=size_of(params).parameters)


def _print(readings: list[Reading], context: Context, size: ModelSize | None, steps: int | None) -> None:
    from fsds_convert.diagnostics import Severity
    from fsds_convert.precision.differences import differences
    from fsds_convert.precision.rows import precision_of
    from fsds_convert.report import precision as report
    from fsds_convert.report.findings import finding_lines

    findings = dict.fromkeys(found for reading in readings for found in reading.findings)
    errors = [found for found in findings if found.severity is Severity.ERROR]
    if errors:
        say("\n".join(finding_lines(errors)))
    rows = [precision_of(reading, context) for reading in readings]
    lines: list[str] = []
    for reading, own in zip(readings, rows, strict=True):
        lines += report.name_lines(reading.source.name, reading.dialect, own)
    if len(rows) == 1:
        lines += report.precision_lines(rows[0])
    else:
        left, right = (reading.source.name for reading in readings)
        lines += report.difference_lines(left, right, differences(*rows))
    if size is not None:
        from fsds_convert.report.memory import memory_lines

        runs, refused = _memory(readings, context, size, steps)
        lines += ["", *memory_lines(size, runs, refused)]
    show("\n".join(lines))


def _memory(
    readings: list[Reading], context: Context, size: ModelSize, steps: int | None
) -> tuple[list[tuple[str, Any]], list[tuple[str, str]]]:
    """Each file, and what a single one becomes in the other frameworks."""
    from fsds_convert.precision.counterparts import counterparts
    from fsds_convert.precision.memory import memory_of

    runs = [(reading.source.name, memory_of(reading, context, size, steps)) for reading in readings]
    refused = []
    if len(readings) == 1:
        for item in counterparts(readings[0], context):
            if item.reading is None:
                refused.append((item.name, item.why))
            else:
                runs.append((f"as {item.name}", memory_of(item.reading, context, size, steps)))
    return runs, refused


def _document(readings: list[Reading], context: Context, size: ModelSize | None, steps: int | None) -> dict[str, Any]:
    from fsds_convert.precision.differences import differences
    from fsds_convert.precision.rows import by_stage, mode_name, precision_of
    from fsds_convert.report.findings import finding_json
    from fsds_convert.report.memory import memory_json
    from fsds_convert.report.precision import differences_json, rows_json

    rows = [precision_of(reading, context) for reading in readings]
    document: dict[str, Any] = {
        "format_version": "1",
        "model_dtype": context.model_dtype,
        "files": [
            {
                "file": reading.source.name,
                "dialect": reading.dialect,
                "launches": reading.launches,
                "mode": mode_name(by_stage(own)) or None,
                "stages": rows_json(own),
            }
            for reading, own in zip(readings, rows, strict=True)
        ],
        "findings": [finding_json(found) for reading in readings for found in reading.findings],
    }
    if len(rows) == 2:
        document["differences"] = differences_json(pair for pair in differences(*rows) if pair.differs)
    if size is not None:
        runs, refused = _memory(readings, context, size, steps)
        document["parameters"] = size.parameters
        document["memory"] = [{"name": name, **memory_json(memory)} for name, memory in runs]
        document["refused"] = [{"name": name, "why": why} for name, why in refused]
    return document


def _show_table(context: Context, *, as_json: bool) -> None:
    from fsds_convert.precision.guide import guide
    from fsds_convert.report.precision import table

    rows = list(guide(context))
    if as_json:
        found = [{"framework": row.name, **row.columns} for row in rows]
        show(json.dumps({"format_version": "1", "rows": found}, indent=2))
        return
    header = ("framework", *rows[0].columns)
    show("\n".join(table([header, *((row.name, *row.columns.values()) for row in rows)])))
