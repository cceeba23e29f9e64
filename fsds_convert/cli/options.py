"""Options that several commands share."""

from __future__ import annotations

import math
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from fsds_convert.containers import accelerate_file, deepspeed_json
from fsds_convert.containers.detect import detect
from fsds_convert.containers.reading import Reading
from fsds_convert.errors import FsdsError
from fsds_convert.project.settings import ProjectSettings, project_settings
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source
from fsds_convert.tables.versions import in_force, parse_version


class For(str, Enum):
    """Who runs the training loop."""

    ACCELERATE = "accelerate"
    TRAINER = "trainer"
    DEEPSPEED = "deepspeed"


class Dtype(str, Enum):
    """The dtype that the script loads the model in."""

    FP32 = "fp32"
    BF16 = "bf16"
    FP16 = "fp16"


class Format(str, Enum):
    """How a result is printed."""

    TEXT = "text"
    JSON = "json"


class MixedPrecision(str, Enum):
    """What is said on the command line or in TrainingArguments."""

    NO = "no"
    BF16 = "bf16"
    FP16 = "fp16"
    FP8 = "fp8"


class Bar(str, Enum):
    """The fidelity from which on the exit status is 1."""

    APPROXIMATE = "approximate"
    DROPPED = "dropped"
    REFUSED = "refused"


def _version(value: str | None) -> str | None:
    if value is not None:
        try:
            parse_version(value)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
    return value


def _release(package: str) -> object:
    return typer.Option(
        f"--{package}-version",
        help=f"The {package} release the file is for; default: the project's, else installed, else the newest audited.",
        metavar="X.Y.Z",
        callback=_version,
    )


File = Annotated[str, typer.Argument(metavar="FILE", help="An Accelerate or DeepSpeed config, or - for stdin.")]
StdinFilename = Annotated[str | None, typer.Option(help="The name that stdin stands for.", metavar="NAME")]
ForOption = Annotated[
    For,
    typer.Option(
        "--for",
        help="Who runs the training loop: a script with Accelerator(), Trainer (TRL, ...), or deepspeed.initialize().",
    ),
]
ModelDtype = Annotated[Dtype | None, typer.Option(help="The dtype that the script loads the model in.")]
MixedPrecisionOption = Annotated[
    MixedPrecision | None,
    typer.Option(
        "--mixed-precision", help='What "auto" in a DeepSpeed JSON becomes: the launch flag or TrainingArguments.'
    ),
]
GpusPerNode = Annotated[int | None, typer.Option(min=1, help="Devices of one node, where FSDP1 shards inside a node.")]
NumProcesses = Annotated[
    int | None, typer.Option(min=1, help="Processes over all machines, where the file does not say it.")
]
NumMachines = Annotated[
    int | None, typer.Option(min=1, help="Machines, where the file, as each DeepSpeed JSON, does not say it.")
]
MachineRank = Annotated[
    int | None,
    typer.Option(min=0, help="The rank of this machine, where the file, as each DeepSpeed JSON, does not say it."),
]
MainProcessIp = Annotated[
    str | None, typer.Option(help="The address of machine 0, where the file, as each DeepSpeed JSON, does not say it.")
]
MainProcessPort = Annotated[
    int | None,
    typer.Option(
        min=0, max=65535, help="The port of machine 0, where the file, as each DeepSpeed JSON, does not say it."
    ),
]
AccelerateVersion = Annotated[str | None, _release("accelerate")]
DeepspeedVersion = Annotated[str | None, _release("deepspeed")]
TransformersVersion = Annotated[str | None, _release("transformers")]
TorchVersion = Annotated[str | None, _release("torch")]


def context_of(
    consumer: For,
    releases: tuple[str | None, str | None, str | None, str | None],
    model_dtype: Dtype | None = None,
    mixed_precision: MixedPrecision | None = None,
    gpus_per_node: int | None = None,
    launch: tuple[int | None, int | None, int | None, str | None, int | None] = (None, None, None, None, None),
    project: ProjectSettings | None = None,
) -> Context:
    """The context of a command; `releases` and `launch` in the order of the options, the project's where none is given.

    Raises SettingsError for a fsds.toml or pyproject.toml that is wrong.
    """
    names = ("accelerate", "deepspeed", "transformers", "torch")
    targets = (project_settings(Path.cwd()) if project is None else project).targets
    return Context(
        consumer.value,
        in_force({name: given or targets.get(name) for name, given in zip(names, releases, strict=True)}),
        model_dtype.value if model_dtype else None,
        mixed_precision.value if mixed_precision else None,
        gpus_per_node,
        *launch,
    )


def read(file: str, stdin_filename: str | None, context: Context) -> Reading:
    """Reads a file or stdin by its content; raises InputError when it is no config."""
    source = read_source(file, sys.stdin.buffer if file == "-" else None, stdin_filename)
    read_container = accelerate_file.read if detect(source) == "accelerate" else deepspeed_json.read
    return read_container(source, context)


def check_launch(reading: Reading, context: Context) -> None:
    """Raises FsdsError for a launch option beside a file that says another thing."""
    for name in ("num_processes", "num_machines", "machine_rank", "main_process_ip", "main_process_port"):
        given, data = getattr(context, name), reading.source.data
        if given is not None and data.get(name) not in (None, given):
            option = f"--{name.replace('_', '-')} {given}"
            raise FsdsError(f"{reading.source.name}: `{name}: {data[name]}` stands in the file, against {option}")


def max_norm(value: str | None) -> float | None:
    """`none` is no clipping, as infinity; raises BadParameter for what is no positive number."""
    if value is None:
        return None
    if value.lower() == "none":
        return math.inf
    try:
        norm = float(value)
    except ValueError:
        norm = math.nan
    if not norm >= 0:
        raise typer.BadParameter(f"`{value}` is neither a number nor `none`", param_hint="--max-grad-norm")
    return norm or math.inf


def class_names(value: str | None) -> tuple[str, ...] | None:
    """`A,B` as names, each once; raises BadParameter when one of them is no name of a class."""
    if not value:
        return None
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))
    wrong = next((name for name in names if not name.isidentifier()), None if names else value)
    if wrong is not None:
        raise typer.BadParameter(f"`{wrong}` is no name of a class", param_hint="--layer-cls")
    return names
