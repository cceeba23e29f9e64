"""A DeepSpeed JSON's optimizer and scheduler as lines of Python, with DeepSpeed's own defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# deepspeed/ops/adam/fused_adam.py: weight_decay 0.0 where torch's AdamW has 0.01
_ADAM_DEFAULTS: dict[str, Any] = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0}
_AUTO = "..."  # "auto": taken from TrainingArguments or the script


def optimizer_lines(kind: str, params: Mapping[str, Any], consumer: str) -> str:
    """The constructor call, or TrainingArguments, that gives the JSON's optimizer."""
    name = kind.lower()
    if name not in ("adam", "adamw"):
        given = ", ".join(f"{key}={_value(value)}" for key, value in params.items())
        return f"{kind}(model.parameters(), {given})"
    values = {**_ADAM_DEFAULTS, **{key: value for key, value in params.items() if key in _ADAM_DEFAULTS}}
    decoupled = name == "adamw" or params.get("adam_w_mode", True) is True
    if consumer == "trainer":
        betas = values["betas"]
        beta = betas if isinstance(betas, (list, tuple)) else (_AUTO, _AUTO)
        return (
            f'TrainingArguments(optim="adamw_torch", learning_rate={_value(values["lr"])}, '
            f"adam_beta1={_value(beta[0])}, adam_beta2={_value(beta[1])}, adam_epsilon={_value(values['eps'])}, "
            f"weight_decay={_value(values['weight_decay'])})"
        )
    given = ", ".join(f"{key}={_value(value)}" for key, value in values.items())
    return f"torch.optim.{'AdamW' if decoupled else 'Adam'}(model.parameters(), {given})"


_SCHEDULES = {
    "WarmupLR": ("get_constant_schedule_with_warmup", "constant_with_warmup"),
    "WarmupDecayLR": ("get_linear_schedule_with_warmup", "linear"),
    "WarmupCosineLR": ("get_cosine_schedule_with_warmup", "cosine"),
}


def scheduler_lines(kind: str, params: Mapping[str, Any], consumer: str) -> str:
    """The Transformers schedule nearest to DeepSpeed's; its warm-up is linear, DeepSpeed's logarithmic by default."""
    warmup = params.get("warmup_num_steps", 1000)
    total = params.get("total_num_steps")
    if kind not in _SCHEDULES:
        given = ", ".join(f"{key}={_value(value)}" for key, value in params.items())
        return f"torch.optim.lr_scheduler or deepspeed.runtime.lr_schedules: {kind}(optimizer, {given})"
    function, name = _SCHEDULES[kind]
    if consumer == "trainer":
        return f'TrainingArguments(lr_scheduler_type="{name}", warmup_steps={_value(warmup)})'
    steps = [f"num_warmup_steps={_times(warmup)}"]
    if kind != "WarmupLR":
        steps.append(f"num_training_steps={_times(total)}")
    return f"transformers.{function}(optimizer, {', '.join(steps)})"


def _times(steps: Any) -> str:
    """Accelerate's prepared scheduler steps once for each process."""
    return f"{_value(steps)} * accelerator.num_processes"


def _value(value: Any) -> str:
    if value in ("auto", None):
        return _AUTO
    return repr(tuple(value)) if isinstance(value, list) else repr(value)
