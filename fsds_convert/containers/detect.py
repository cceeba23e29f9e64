"""Which kind of file it is, by its content: Accelerate files have no fixed name."""

from __future__ import annotations

from typing import Any

from fsds_convert.containers.reading import Container
from fsds_convert.errors import InputError
from fsds_convert.syntax.source import Source

_ACCELERATE = {"distributed_type", "compute_environment", "fsdp_config", "deepspeed_config", "main_training_function"}
_DEEPSPEED = {
    *("zero_optimization", "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_clipping", "bf16", "fp16"),
    *("zero_allow_untested_optimizer", "optimizer", "scheduler", "gradient_accumulation_steps", "steps_per_print"),
}


def detect(source: Source) -> Container:
    """The container of a parsed file; raises InputError when it is neither, or cannot be read at all."""
    if source.data is None or not isinstance(source.data, dict):
        raise unreadable(source)
    keys = {str(key) for key in source.data}
    if keys & _ACCELERATE:
        return "accelerate"
    if keys & _DEEPSPEED:
        return "deepspeed-json"
    raise InputError(
        source.name,
        "neither an Accelerate config nor a DeepSpeed config: it has none of their keys",
        _other(source.data),
    )


def unreadable(source: Source) -> InputError:
    """The first syntax problem of a file that gives no mapping, as an error."""
    for problem in source.problems:
        place = f"{source.name}:{problem.span.line}:{problem.span.column}"
        return InputError(place, f"{problem.message}; {problem.consequence}", problem.remedy)
    return InputError(source.name, "not a mapping of keys to values", "give an Accelerate or a DeepSpeed config")


def _other(data: dict[Any, Any]) -> str:
    if "base_model" in data:
        return "this looks like an axolotl config; give the Accelerate or DeepSpeed file that it launches with"
    if {"fsdp", "fsdp_version", "reshard_after_forward", "version", "transformer_layer_cls_to_wrap"} & set(data):
        return "this looks like a Trainer fsdp_config; give the Accelerate or DeepSpeed file"
    return "an Accelerate file has `distributed_type`, a DeepSpeed file `zero_optimization`"
