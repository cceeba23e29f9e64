"""What `fsds lint` was asked for, whoever read the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fsds_convert.cli import lint_settings as settings_of
from fsds_convert.cli.lint_run import Job, run_job
from fsds_convert.cli.streams import show
from fsds_convert.errors import ExitCode
from fsds_convert.project.settings import ProjectSettings
from fsds_convert.settings.context import Context
from fsds_convert.tables.versions import in_force

# typer takes most of the time of a command; for paths and switches alone, as a hook gives them, none is needed
_SWITCHES = ("fix", "unsafe_fixes", "diff", "exit_zero", "exit_non_zero_on_fix", "force_exclude", "isolated")


@dataclass(frozen=True)
class LintArguments:
    """The options by their names; None and nothing leave it to the project's settings, then to the default."""

    paths: tuple[str, ...] = (".",)
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    add_ignore: str | None = None
    exit_non_zero_on_fix: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[str, ...] = ()
    severity: str | None = None
    fail_on: str | None = None
    exit_zero: bool = False
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    show_files: bool = False
    show_settings: bool = False
    stdin_filename: str | None = None
    config: str | None = None
    isolated: bool = False
    output_format: str | None = None
    output_file: str | None = None
    color: str = "auto"
    consumer: str | None = None
    model_config: str | None = None
    model_dtype: str | None = None
    optimizer: str | None = None
    peft: str | None = None
    training_args: str | None = None
    mixed_precision: str | None = None
    num_processes: int | None = None
    num_machines: int | None = None
    versions: Mapping[str, str | None] = field(default_factory=dict)


def plain(words: Sequence[str]) -> LintArguments | None:
    """The arguments where they are paths and switches only; None leaves them to the parser."""
    switches = {f"--{name.replace('_', '-')}": name for name in _SWITCHES}
    given: dict[str, Any] = {switches[word]: True for word in words if word in switches}
    paths = tuple(word for word in words if word not in switches)
    if any(path.startswith("-") and path != "-" for path in paths):
        return None
    return LintArguments(paths or (".",), **given)


def lint(arguments: LintArguments) -> int:
    """Does what the arguments ask for; the exit status."""
    project = settings_of.project(arguments.config, isolated=arguments.isolated)
    job = _job(arguments, project)
    if arguments.show_settings:
        show(settings_of.as_text(job, project))
        return ExitCode.OK
    done = run_job(job, only_names=arguments.show_files)
    if done.fixed and arguments.exit_non_zero_on_fix and done.status is ExitCode.OK:
        return ExitCode.FINDINGS
    zero = arguments.exit_zero and done.status is ExitCode.FINDINGS and not arguments.show_files
    return ExitCode.OK if zero else done.status


def _job(arguments: LintArguments, project: ProjectSettings) -> Job:
    fixes = ("unsafe" if arguments.unsafe_fixes else "safe") if arguments.fix or arguments.diff else "none"
    return Job(
        paths=arguments.paths,
        context=_context(arguments, project),
        selection=settings_of.selection(
            *(project, arguments.select, arguments.ignore, arguments.per_file_ignores, arguments.severity)
        ),
        fail_on=settings_of.level(arguments.fail_on, project, "fail-on"),
        exclude=(*project.exclude, *arguments.exclude),
        force_exclude=arguments.force_exclude,
        stdin_filename=arguments.stdin_filename,
        fixes=fixes,
        diff=arguments.diff,
        add_ignore=arguments.add_ignore,
        output_format=arguments.output_format or project.texts.get("output-format"),
        output_file=arguments.output_file,
        colour=arguments.color,
    )


def _context(arguments: LintArguments, project: ProjectSettings) -> Context:
    said = project.texts.get("for", "trainer" if arguments.training_args else "accelerate")
    context = Context(
        arguments.consumer or said,  # type: ignore[arg-type]  # the option and the settings know these words only
        in_force({**project.targets, **{name: given for name, given in arguments.versions.items() if given}}),
        arguments.model_dtype,  # type: ignore[arg-type]
        arguments.mixed_precision,
        num_processes=arguments.num_processes,
        num_machines=arguments.num_machines,
    )
    return settings_of.with_script(
        context, arguments.model_config, arguments.optimizer, arguments.peft, arguments.training_args
    )
