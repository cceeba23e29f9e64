"""Which kind of file it is, by its content: config files have no fixed name."""

from __future__ import annotations

from typing import Any, Literal

from fsds_convert.containers.reading import Container
from fsds_convert.errors import InputError
from fsds_convert.syntax.source import Source
from fsds_convert.tables.load import load_table

Kind = Literal["accelerate", "deepspeed-json", "trainer-fsdp", "trainer-args"]

_ACCELERATE = {"distributed_type", "compute_environment", "deepspeed_config", "main_training_function"}
_DEEPSPEED = {
    *("zero_optimization", "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_clipping", "bf16", "fp16"),
    *("zero_allow_untested_optimizer", "optimizer", "scheduler", "gradient_accumulation_steps", "steps_per_print"),
}
# no other tool's file has these at its top
_DEEPSPEED_ALONE = {
    *("train_batch_size", "train_micro_batch_size_per_gpu", "zero_allow_untested_optimizer"),
    *("zero_force_ds_cpu_optimizer", "wall_clock_breakdown"),
}
# of axolotl, LLaMA-Factory and ms-swift, which have arguments of the Trainer among their own
_OTHER = {"base_model", "finetuning_type", "tuner_type", "train_type", "sft_type"}
_ARGUMENTS = {"per_device_train_batch_size", "fsdp", "fsdp_config", "deepspeed"}
# keys of an fsdp_config that stand in other files too
_COMMON = {"version", "mixed_precision", "xla", "activation_checkpointing", "cpu_offload", "offload_params"}


def detect(source: Source) -> Container:
    """The container of a parsed file that can be converted; raises InputError for any other, or an unreadable one."""
    if source.data is None or not isinstance(source.data, dict):
        raise unreadable(source)
    kind = kind_of(source)
    if kind == "accelerate" or kind == "deepspeed-json":
        return kind
    raise InputError(
        source.name,
        "neither an Accelerate config nor a DeepSpeed config" + (": it has none of their keys" if kind is None else ""),
        _hint(kind, source.data),
    )


def kind_of(source: Source) -> Kind | None:
    """The kind of a file that holds a mapping; None when it is of none."""
    keys = {str(key) for key in source.data}
    if keys & _ACCELERATE:
        return "accelerate"
    if "zero_optimization" in keys:
        return "deepspeed-json"
    if keys & _OTHER:
        return None
    if _holds_arguments(source.data):
        return "trainer-args"
    if "fsdp_config" in keys:
        return "accelerate"
    if keys & _DEEPSPEED:
        return "deepspeed-json"
    return "trainer-fsdp" if source.format == "json" and _is_fsdp_config(keys) else None


def kind_to_lint(source: Source) -> Kind | None:
    """The kind where it is certain: a hook is given the files of every tool, and `optimizer` stands in many of them."""
    kind = kind_of(source)
    return None if kind == "deepspeed-json" and not _is_deepspeed(source) else kind


def _is_deepspeed(source: Source) -> bool:
    """A key that only DeepSpeed has, or two of its sections; and half of the keys are DeepSpeed's."""
    data = source.data
    known = {row.key for row in load_table("deepspeed-json") if "." not in row.key}
    if 2 * sum(key in known for key in data) < len(data):
        return False
    if isinstance(data.get("zero_optimization"), dict):
        return True
    sections = [key for key, value in data.items() if key in known and isinstance(value, dict)]
    return source.format == "json" and (bool(_DEEPSPEED_ALONE & set(data)) or len(sections) > 1)


def _holds_arguments(data: dict[Any, Any]) -> bool:
    """Two of the arguments that the table knows, one of which nothing else has."""
    if not set(data) & _ARGUMENTS or isinstance(data.get("fsdp"), dict):
        return False
    known = load_table("training-args").by_key
    return sum(key in known for key in data) > 1


def _is_fsdp_config(keys: set[str]) -> bool:
    """At least half of its keys are an fsdp_config's, one of which nothing else has; a `_comment` does not count."""
    table = load_table("trainer-fsdp")
    names = [key for key in keys if not key.startswith("_")]
    known = [name for name in names if table.full_key(name) in table.by_key]
    return any(name.startswith("fsdp_") or name not in _COMMON for name in known) and 2 * len(known) >= len(names)


def unreadable(source: Source) -> InputError:
    """The first syntax problem of a file that gives no mapping, as an error."""
    for problem in source.problems:
        place = f"{source.name}:{problem.span.line}:{problem.span.column}"
        return InputError(place, f"{problem.message}; {problem.consequence}", problem.remedy)
    return InputError(source.name, "not a mapping of keys to values", "give an Accelerate or a DeepSpeed config")


def _hint(kind: Kind | None, data: dict[Any, Any]) -> str:
    if "base_model" in data:
        return "this looks like an axolotl config; give the Accelerate or DeepSpeed file that it launches with"
    if kind == "trainer-args":
        return "this looks like the Trainer's arguments, which fsds lint reads; give the Accelerate or DeepSpeed file"
    if kind == "trainer-fsdp":
        return "this looks like a Trainer fsdp_config, which fsds lint reads; give the Accelerate or DeepSpeed file"
    return "an Accelerate file has `distributed_type`, a DeepSpeed file `zero_optimization`"
