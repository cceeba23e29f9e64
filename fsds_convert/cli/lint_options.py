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


_FIXES, _RULES, _FILES, _OUTPUT, _SCRIPT = "Fixes", "Rules", "Files", "Output", "The script and the model"

Paths = Annotated[
    list[str] | None, typer.Argument(metavar="PATHS", help="Files and folders, or - for stdin; default: here.")
]
Fix = Annotated[bool, typer.Option("--fix", help="Make the safe fixes.", rich_help_panel=_FIXES)]
UnsafeFixes = Annotated[
    bool,
    typer.Option(
        "--unsafe-fixes", help="With --fix or --diff, also the fixes that change what runs.", rich_help_panel=_FIXES
    ),
]
Diff = Annotated[
    bool, typer.Option("--diff", help="Print what --fix would change; write nothing.", rich_help_panel=_FIXES)
]
AddIgnore = Annotated[
    str | None,
    typer.Option(
        "--add-ignore", metavar="REASON", help="Suppress all that is found now by comments.", rich_help_panel=_FIXES
    ),
]
ExitNonZeroOnFix = Annotated[
    bool, typer.Option("--exit-non-zero-on-fix", help="Exit with 1 when anything was fixed.", rich_help_panel=_FIXES)
]
Select = Annotated[
    list[str] | None,
    typer.Option(help="Only these rules: codes, beginnings of codes, names.", metavar="RULE", rich_help_panel=_RULES),
]
Ignore = Annotated[list[str] | None, typer.Option(help="All rules but these.", metavar="RULE", rich_help_panel=_RULES)]
PerFileIgnores = Annotated[
    list[str] | None,
    typer.Option(help="A rule to ignore in some files.", metavar="PATTERN:RULE", rich_help_panel=_RULES),
]
Severity = Annotated[
    Level | None, typer.Option(help="The lowest severity that is shown; default: warning.", rich_help_panel=_RULES)
]
FailOn = Annotated[
    Level | None, typer.Option(help="The lowest severity that ends in 1; default: warning.", rich_help_panel=_RULES)
]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 whatever is found.", rich_help_panel=_RULES)]
Exclude = Annotated[
    list[str] | None, typer.Option(help="Patterns of files to leave out.", metavar="PATTERN", rich_help_panel=_FILES)
]
ForceExclude = Annotated[
    bool, typer.Option("--force-exclude", help="Leave out named files too.", rich_help_panel=_FILES)
]
ShowFiles = Annotated[
    bool, typer.Option("--show-files", help="Print the config files that are found, and stop.", rich_help_panel=_FILES)
]
Config = Annotated[
    str | None,
    typer.Option(help="A fsds.toml or pyproject.toml in place of the closest one.", rich_help_panel=_FILES),
]
Isolated = Annotated[
    bool, typer.Option("--isolated", help="Read no fsds.toml and pyproject.toml.", rich_help_panel=_FILES)
]
ShowSettings = Annotated[
    bool, typer.Option("--show-settings", help="Print the settings in force, and stop.", rich_help_panel=_FILES)
]
OutputFormatOption = Annotated[
    OutputFormat | None,
    typer.Option(
        "--output-format",
        help="Default: full on a terminal, github in a GitHub workflow, else concise.",
        rich_help_panel=_OUTPUT,
    ),
]
OutputFile = Annotated[
    str | None, typer.Option("-o", "--output-file", help="Where the findings go.", rich_help_panel=_OUTPUT)
]
ColourOption = Annotated[Colour, typer.Option("--color", help="Colours.", rich_help_panel=_OUTPUT)]
ModelConfig = Annotated[
    str | None,
    typer.Option(help="The config.json of the Transformers model.", metavar="FILE", rich_help_panel=_SCRIPT),
]
Optimizer = Annotated[
    str | None, typer.Option(help="The class of the script's optimizer.", metavar="NAME", rich_help_panel=_SCRIPT)
]
PeftOption = Annotated[Peft | None, typer.Option("--peft", help="LoRA or QLoRA.", rich_help_panel=_SCRIPT)]
TrainingArgs = Annotated[
    str | None, typer.Option(help="TrainingArguments as JSON or YAML.", metavar="FILE", rich_help_panel=_SCRIPT)
]
ForOption = Annotated[
    For | None,
    typer.Option(
        "--for", help="Who runs the training loop; default: a script with Accelerator().", rich_help_panel=_SCRIPT
    ),
]
