"""The options of `fsds lint`."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from fsds_convert.cli.options import For


class OutputFormat(str, Enum):
    """How findings are printed."""

    FULL = "full"
    CONCISE = "concise"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    GITLAB = "gitlab"
    JUNIT = "junit"
    MARKDOWN = "markdown"


class Level(str, Enum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Colour(str, Enum):
    """Whether colours are used."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Peft(str, Enum):
    """How the script fine-tunes."""

    LORA = "lora"
    QLORA = "qlora"


Paths = Annotated[
    list[str] | None, typer.Argument(metavar="PATHS", help="Files and folders, or - for stdin; default: here.")
]
Fix = Annotated[bool, typer.Option("--fix", help="Make the safe fixes.")]
UnsafeFixes = Annotated[
    bool,
    typer.Option("--unsafe-fixes", help="With --fix or --diff, also the fixes that change what runs."),
]
Diff = Annotated[bool, typer.Option("--diff", help="Print what --fix would change; write nothing.")]
AddIgnore = Annotated[
    str | None,
    typer.Option("--add-ignore", metavar="REASON", help="Write a comment with REASON at each finding, into the files."),
]
ExitNonZeroOnFix = Annotated[bool, typer.Option("--exit-non-zero-on-fix", help="Exit with 1 when anything was fixed.")]
Select = Annotated[
    list[str] | None,
    typer.Option(
        help="Only these rules: codes, beginnings of codes, names; in the place of the project's.", metavar="RULE"
    ),
]
Ignore = Annotated[list[str] | None, typer.Option(help="Not these rules; adds to the project's.", metavar="RULE")]
PerFileIgnores = Annotated[
    list[str] | None,
    typer.Option(help="A rule to ignore in some files.", metavar="PATTERN:RULE"),
]
Severity = Annotated[Level | None, typer.Option(help="The lowest severity that is shown; default: warning.")]
FailOn = Annotated[Level | None, typer.Option(help="The lowest severity that ends in 1; default: warning.")]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 whatever is found.")]
Exclude = Annotated[list[str] | None, typer.Option(help="Patterns of files to leave out.", metavar="PATTERN")]
ForceExclude = Annotated[bool, typer.Option("--force-exclude", help="Leave out named files too.")]
ShowFiles = Annotated[bool, typer.Option("--show-files", help="Print the config files that are found, and stop.")]
Config = Annotated[
    str | None,
    typer.Option(help="A fsds.toml or pyproject.toml in place of the closest one.", metavar="FILE"),
]
Isolated = Annotated[bool, typer.Option("--isolated", help="Read no fsds.toml and pyproject.toml.")]
ShowSettings = Annotated[bool, typer.Option("--show-settings", help="Print the settings in force, and stop.")]
OutputFormatOption = Annotated[
    OutputFormat | None,
    typer.Option(
        "--output-format",
        help="Default: full on a terminal, github in a GitHub workflow, else concise.",
    ),
]
OutputFile = Annotated[str | None, typer.Option("-o", "--output-file", help="Where the findings go.", metavar="FILE")]
ColourOption = Annotated[Colour, typer.Option("--color", help="Colours.")]
ModelConfig = Annotated[
    str | None,
    typer.Option(help="The config.json of the Transformers model.", metavar="FILE"),
]
Optimizer = Annotated[str | None, typer.Option(help="The class of the script's optimizer.", metavar="NAME")]
PeftOption = Annotated[Peft | None, typer.Option("--peft", help="How the script fine-tunes.")]
TrainingArgs = Annotated[str | None, typer.Option(help="TrainingArguments as JSON or YAML.", metavar="FILE")]
ForOption = Annotated[
    For | None,
    typer.Option("--for", help="Who runs the training loop; default: a script with Accelerator()."),
]
