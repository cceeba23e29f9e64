"""What Transformers' TrainingArguments makes of fsdp, fsdp_config and deepspeed, without a distributed job."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Mapping
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

from . import fsdp_plugin
from .environment import job_environment, notices
from .node import applied, process_patches
from .outcome import Refused

_READ = re.compile(r"(?<!\w)fsdp_config(?:\.get\(|\.setdefault\(|\[)\s*[\"'](\w+)|[\"'](\w+)[\"'] in self\.fsdp_config")


def fsdp_settings(config: Any, fsdp: Any = True) -> dict[str, Any] | Refused:
    """FullyShardedDataParallelPlugin as the Trainer makes it, with the classes of a small model found in it."""
    from transformers import TrainingArguments

    arguments = SimpleNamespace(
        fsdp=fsdp,
        fsdp_config=copy.deepcopy(config),
        activation_checkpointing=False,
        _apply_legacy_fsdp_to_config=TrainingArguments._apply_legacy_fsdp_to_config,
    )
    try:
        with job_environment(), notices(), applied(process_patches()):
            return _plugin(TrainingArguments._process_fsdp_args(arguments))
    except Exception as error:
        return Refused.because("plugin", error)


def _plugin(arguments: Any) -> dict[str, Any]:
    from accelerate.utils import FullyShardedDataParallelPlugin

    if arguments is None:
        return {}
    plugin = FullyShardedDataParallelPlugin(**arguments)
    found = fsdp_plugin.settings(SimpleNamespace(state=SimpleNamespace(fsdp_plugin=plugin)))
    if arguments.get("transformer_cls_names_to_wrap") is not None:
        plugin.set_auto_wrap_policy(_model())  # as prepare does: a name that is no class is refused there
    return found


def _model() -> Any:
    from torch import nn

    class Block(nn.Module):
        pass

    class Layer(nn.Module):
        pass

    return nn.ModuleDict({"block": Block(), "layer": Layer()})


def mismatches(config: Mapping[str, Any], arguments: Mapping[str, Any], world_size: int = 1) -> list[str]:
    """The lines of the error that the Trainer raises at the start of training; [] when it starts."""
    from transformers.integrations.deepspeed import HfTrainerDeepSpeedConfig

    args = _arguments(arguments)
    args.world_size = world_size
    held = HfTrainerDeepSpeedConfig(copy.deepcopy(dict(config)))
    held.trainer_config_process(args)
    try:
        held.trainer_config_finalize(args, SimpleNamespace(), args.max_steps)
    except ValueError as error:
        return [line.removeprefix("- ") for line in str(error).splitlines() if line.startswith("- ")]
    return []


def inline_config(variables: Mapping[str, str], mixed_precision: str) -> dict[str, Any]:
    """The DeepSpeed config that the Trainer finds when the launcher exported an inline section."""
    from accelerate.utils import DeepSpeedPlugin

    with job_environment({"ACCELERATE_USE_DEEPSPEED": "true", **variables}), notices():
        plugin = DeepSpeedPlugin()
        plugin.set_mixed_precision(mixed_precision)
    return dict(plugin.hf_ds_config.config)


def _arguments(given: Mapping[str, Any]) -> SimpleNamespace:
    from transformers import TrainingArguments

    values = {**defaults(), **given}
    args = SimpleNamespace(**values)
    args.get_warmup_steps = lambda total: TrainingArguments.get_warmup_steps(args, total)
    return args


def defaults() -> dict[str, Any]:
    """The default of every field of TrainingArguments."""
    from transformers import TrainingArguments

    return {field.name: field.default for field in fields(TrainingArguments)}


def fsdp_config_keys() -> set[str]:
    """Every key of fsdp_config that a module of Transformers asks for."""
    from transformers import trainer, training_args
    from transformers.integrations import tpu

    texts = (inspect.getsource(module) for module in (training_args, trainer, tpu))
    return {name for text in texts for found in _READ.findall(text) for name in found if name}


def compared_arguments() -> set[str]:
    """The arguments that a DeepSpeed JSON is held against."""
    from transformers.integrations.deepspeed import HfTrainerDeepSpeedConfig

    held = (HfTrainerDeepSpeedConfig.trainer_config_process, HfTrainerDeepSpeedConfig.trainer_config_finalize)
    return {name for function in held for name in re.findall(r"\bargs\.(\w+)", inspect.getsource(function))}
