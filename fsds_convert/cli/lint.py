"""`fsds lint`."""

from __future__ import annotations

from fsds_convert.cli import lint_options as given
from fsds_convert.cli import options as shared
from fsds_convert.errors import ExitCode


def lint(
    paths: given.Paths = None,
    fix: given.Fix = False,
    unsafe_fixes: given.UnsafeFixes = False,
    diff: given.Diff = False,
    add_ignore: given.AddIgnore = None,
    exit_non_zero_on_fix: given.ExitNonZeroOnFix = False,
    select: given.Select = None,
    ignore: given.Ignore = None,
    per_file_ignores: given.PerFileIgnores = None,
    severity: given.Severity = None,
    fail_on: given.FailOn = None,
    exit_zero: given.ExitZero = False,
    exclude: given.Exclude = None,
    force_exclude: given.ForceExclude = False,
    show_files: given.ShowFiles = False,
    show_settings: given.ShowSettings = False,
    stdin_filename: shared.StdinFilename = None,
    config: given.Config = None,
    isolated: given.Isolated = False,
    output_format: given.OutputFormatOption = None,
    output_file: given.OutputFile = None,
    color: given.ColourOption = given.Colour.AUTO,
    consumer: given.ForOption = None,
    model_config: given.ModelConfig = None,
    model_dtype: shared.ModelDtype = None,
    optimizer: given.Optimizer = None,
    peft: given.PeftOption = None,
    training_args: given.TrainingArgs = None,
    mixed_precision: shared.MixedPrecisionOption = None,
    num_processes: shared.NumProcesses = None,
    num_machines: shared.NumMachines = None,
    accelerate_version: shared.AccelerateVersion = None,
    deepspeed_version: shared.DeepspeedVersion = None,
    transformers_version: shared.TransformersVersion = None,
    torch_version: shared.TorchVersion = None,
) -> int:
    """Find what is wrong, ignored or contradictory in config files: where, what happens at run time, and the mend.

    Exits with 1 when something is found that reaches --fail-on.
    """
    from fsds_convert.cli import lint_settings as settings_of
    from fsds_convert.cli.lint_run import Job, run_job
    from fsds_convert.cli.streams import show

    project = settings_of.project(config, isolated=isolated)
    releases = (accelerate_version, deepspeed_version, transformers_version, torch_version)
    launch = (num_processes, num_machines, None, None, None)
    loop = consumer or shared.For(project.texts.get("for", "trainer" if training_args else "accelerate"))
    context = shared.context_of(loop, releases, model_dtype, mixed_precision, None, launch, project=project)
    context = settings_of.with_script(context, model_config, optimizer, peft.value if peft else None, training_args)
    job = Job(
        paths=tuple(paths or ["."]),
        context=context,
        selection=settings_of.selection(project, select, ignore, per_file_ignores, severity),
        fail_on=settings_of.level(fail_on, project, "fail-on"),
        exclude=(*project.exclude, *(exclude or ())),
        force_exclude=force_exclude,
        stdin_filename=stdin_filename,
        fixes=("unsafe" if unsafe_fixes else "safe") if fix or diff else "none",
        unsafe=unsafe_fixes,
        diff=diff,
        add_ignore=add_ignore,
        output_format=output_format.value if output_format else project.texts.get("output-format"),
        output_file=output_file,
        colour=color.value,
    )
    if show_settings:
        show(settings_of.as_text(job, project))
        return ExitCode.OK
    if show_files:
        return run_job(job, only_names=True).status
    done = run_job(job)
    if done.fixed and exit_non_zero_on_fix and done.status is ExitCode.OK:
        return ExitCode.FINDINGS
    return ExitCode.OK if exit_zero and done.status is ExitCode.FINDINGS else done.status
