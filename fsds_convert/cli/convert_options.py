"""The options of `fsds convert`."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from fsds_convert.cli.options import Bar


class Report(str, Enum):
    """How the report is printed to stderr."""

    TEXT = "text"
    JSON = "json"
    NONE = "none"


class DeepspeedJson(str, Enum):
    """When DeepSpeed settings go into a JSON of their own."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class PrecisionMode(str, Enum):
    """Which of the two modes of precision is written."""

    MIXED_PRECISION = "mixed-precision"
    MEMORY_CONSTRAINED = "memory-constrained"


_AS_EXECUTED = "Convert what runs, not what the file asks for."
_CHECK = "Is the output already what the source converts to? Exit 1 if not."
_DEEPSPEED_JSON = "Whether DeepSpeed settings go into a JSON of their own; auto: when they do not fit inline."
_DIFF = "Show the changes and write nothing; exit 1 if there are any."
_FAIL_ON = "Write nothing and exit 1 from this fidelity on."
_LAYER_CLS = "Layer classes that FSDP wraps, as A,B; default: the model's own."
_LOSSY = "Write the nearest thing for what is refused."
_NORM = "The gradient norm that the script clips at, or none."
_MODE = "fp32 master weights over 16-bit compute, or everything in 16 bits; default: as the file runs."
_STEPS = "The micro steps to one optimizer step in the script."
_TO = "fsdp1, fsdp2, fsdp (= fsdp2), deepspeed or deepspeed-json."

To = Annotated[str, typer.Option(help=_TO)]
Output = Annotated[str | None, typer.Option("-o", "--output", help="Write here; default: stdout.", metavar="FILE")]
InPlace = Annotated[bool, typer.Option("--in-place", help="Write over the source.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Write over existing files.")]
Diff = Annotated[bool, typer.Option("--diff", help=_DIFF)]
Check = Annotated[bool, typer.Option("--check", help=_CHECK)]
ReportOption = Annotated[Report, typer.Option(help="The report on stderr.")]
AllowLossy = Annotated[bool, typer.Option("--allow-lossy", help=_LOSSY)]
FailOn = Annotated[Bar, typer.Option(help=_FAIL_ON)]
AsExecuted = Annotated[bool, typer.Option("--as-executed", help=_AS_EXECUTED)]
MaxGradNorm = Annotated[str | None, typer.Option(help=_NORM, metavar="X|none")]
GradientAccumulationSteps = Annotated[int | None, typer.Option(min=1, help=_STEPS)]
LayerCls = Annotated[str | None, typer.Option(help=_LAYER_CLS, metavar="A,B")]
DeepspeedJsonOption = Annotated[DeepspeedJson, typer.Option(help=_DEEPSPEED_JSON)]
PrecisionModeOption = Annotated[PrecisionMode | None, typer.Option(help=_MODE)]
