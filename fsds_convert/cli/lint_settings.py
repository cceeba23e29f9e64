"""The settings of a lint run: the options, then the project's, then the defaults."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsds_convert.diagnostics import Severity
from fsds_convert.errors import FsdsError, InputError
from fsds_convert.lint.select import Selection
from fsds_convert.project.settings import ProjectSettings, project_settings, settings_in
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source

if TYPE_CHECKING:
    from fsds_convert.cli.lint_run import Job


def project(config: str | None, *, isolated: bool) -> ProjectSettings:
    """The project's settings; raises SettingsError for a file that is wrong, FsdsError for options that contradict."""
    if config is not None and isolated:
        raise FsdsError("--config and --isolated are both given", "give one of them")
    if isolated:
        return ProjectSettings()
    return settings_in(Path(config)) if config is not None else project_settings(Path.cwd())


def selection(
    project: ProjectSettings,
    select: Iterable[str],
    ignore: Iterable[str],
    per_file_ignores: Iterable[str],
    severity: str | None,
) -> Selection:
    """Which rules are asked for; options of the command line come in the place of the project's, or add to them."""
    pairs = {pattern: tuple(words) for pattern, words in project.per_file_ignores.items()}
    for text in per_file_ignores:
        pattern, colon, words = text.rpartition(":")
        if not colon:
            raise FsdsError(f"`{text}` is no pattern and rule", "write --per-file-ignores 'old/*.yaml:FSDS105'")
        pairs[pattern] = (*pairs.get(pattern, ()), *_words([words]))
    return Selection(
        _words(select) or project.select,
        (*project.ignore, *_words(ignore)),
        level(severity, project, "severity"),
        pairs,
    )


def _words(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(word.strip() for text in given for word in text.split(",") if word.strip())


def level(given: str | None, project: ProjectSettings, key: str) -> Severity:
    """A severity of an option or of the project; warning where nobody says one."""
    return Severity(given or project.texts.get(key, "warning"))


def with_script(
    context: Context, model: str | None, optimizer: str | None, peft: str | None, training_args: str | None
) -> Context:
    """What was said of the script and the model; raises InputError for a file that cannot be read."""
    return replace(
        context,
        optimizer=optimizer,
        peft=peft,
        model=None if model is None else _mapping_in(model),
        training_args=None if training_args is None else _mapping_in(training_args),
    )


def _mapping_in(path: str) -> dict[str, Any]:
    source = read_source(path)
    if not isinstance(source.data, dict):
        raise InputError(path, "not a mapping of keys to values", "give the file that its option names")
    return source.data


def as_text(job: Job, project: ProjectSettings) -> str:
    """`name = value`, one a line."""
    versions = job.context.versions
    chosen = job.selection
    rows = {
        "settings file": project.path or "none",
        "select": ", ".join(chosen.select) or "ALL",
        "ignore": ", ".join(chosen.ignore) or "none",
        "per-file-ignores": "; ".join(f"{key}: {', '.join(words)}" for key, words in chosen.per_file_ignores.items())
        or "none",
        "exclude": ", ".join(job.exclude) or "none",
        "severity": chosen.severity.value,
        "fail-on": job.fail_on.value,
        "output-format": job.output_format or "by the place that it is printed to",
        "for": job.context.consumer,
        **{f"target-{name}": getattr(versions, name) for name in ("accelerate", "deepspeed", "transformers", "torch")},
    }
    return "\n".join(f"{name} = {value}" for name, value in rows.items())
