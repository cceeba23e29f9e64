"""`fsds lint`."""

from __future__ import annotations

from fsds_convert.cli import lint_options as given
from fsds_convert.cli import options as shared


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
    from fsds_convert.cli import lint_arguments

    return lint_arguments.lint(
        lint_arguments.LintArguments(
            paths=tuple(paths or ["."]),
            fix=fix,
            unsafe_fixes=unsafe_fixes,
            diff=diff,
            add_ignore=add_ignore,
            exit_non_zero_on_fix=exit_non_zero_on_fix,
            select=tuple(select or ()),
            ignore=tuple(ignore or ()),
            per_file_ignores=tuple(per_file_ignores or ()),
            severity=severity.value if severity else None,
            fail_on=fail_on.value if fail_on else None,
            exit_zero=exit_zero,
            exclude=tuple(exclude or ()),
            force_exclude=force_exclude,
            show_files=show_files,
            show_settings=show_settings,
            stdin_filename=stdin_filename,
            config=config,
            isolated=isolated,
            output_format=output_format.value if output_format else None,
            output_file=output_file,
            color=color.value,
            consumer=consumer.value if consumer else None,
            model_config=model_config,
            model_dtype=model_dtype.value if model_dtype else None,
            optimizer=optimizer,
            peft=peft.value if peft else None,
            training_args=training_args,
            mixed_precision=mixed_precision.value if mixed_precision else None,
            num_processes=num_processes,
            num_machines=num_machines,
            versions={
                "accelerate": accelerate_version,
                "deepspeed": deepspeed_version,
                "transformers": transformers_version,
                "torch": torch_version,
            },
        )
    )
