"""Lines of Python for what the target takes from the script: optimizer, schedule, torch.compile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# deepspeed/ops/adam/fused_adam.py: weight_decay 0.0 where torch's AdamW has 0.01
_ADAM_DEFAULTS: dict[str, Any] = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0}
_AUTO = "..."  # "auto": taken from TrainingArguments or the script


_CHOOSES_CLASS = ("adam_w_mode", "torch_adam")  # they choose the class, which the line names


def optimizer_lines(kind: str, params: Mapping[str, Any], consumer: str, schedule: str, schedule_params: Any) -> str:
    """The constructor call, or TrainingArguments, that gives the JSON's optimizer, at its schedule's rate."""
    peak = peak_rate(schedule, schedule_params or {})
    params = {**params, **({} if peak in (None, "auto") else {"lr": peak})}
    name = kind.lower()
    if name not in ("adam", "adamw"):
        return f"{kind}(model.parameters(), {_arguments(params)})"
    values = {**_ADAM_DEFAULTS, **{key: value for key, value in params.items() if key in _ADAM_DEFAULTS}}
    left = {key: value for key, value in params.items() if key not in values and key not in _CHOOSES_CLASS}
    remark = f"  # not carried: {_arguments(left)}" if left else ""
    # deepspeed/runtime/engine.py:2487: Adam decouples the weight decay unless adam_w_mode says no
    decoupled = name == "adamw" or params.get("adam_w_mode", True) is True
    call = f"torch.optim.{'AdamW' if decoupled else 'Adam'}(model.parameters(), {_arguments(values)})"
    if consumer != "trainer":
        return call + remark
    if not decoupled:
        return f"Trainer(optimizers=({call}, None)){remark}"
    betas = values["betas"]
    beta = betas if isinstance(betas, (list, tuple)) else (_AUTO, _AUTO)
    return (
        f'TrainingArguments(optim="adamw_torch", learning_rate={_value(values["lr"])}, '
        f"adam_beta1={_value(beta[0])}, adam_beta2={_value(beta[1])}, adam_epsilon={_value(values['eps'])}, "
        f"weight_decay={_value(values['weight_decay'])}){remark}"
    )


_SCHEDULES = {
    "WarmupLR": ("get_constant_schedule_with_warmup", "constant_with_warmup"),
    "WarmupDecayLR": ("get_linear_schedule_with_warmup", "linear"),
    "WarmupCosineLR": ("get_cosine_schedule_with_warmup", "cosine"),
}
_SET_THE_RATE = ("WarmupLR", "WarmupDecayLR")
# what Transformers' schedules have as well (deepspeed/runtime/lr_schedules.py:727, :817, :868, :870)
_STARTS_AND_ENDS = {"warmup_min_lr": 0.0, "warmup_min_ratio": 0.0, "cos_min_ratio": 0.0}


def peak_rate(schedule: str, params: Mapping[str, Any]) -> Any:
    """The rate that a schedule sets, whatever the optimizer's is; None where it keeps that one.

    deepspeed/runtime/lr_schedules.py:738: an explicit null alone takes the optimizer's; the default is 0.001.
    """
    return params.get("warmup_max_lr", 0.001) if schedule in _SET_THE_RATE else None


def scheduler_lines(kind: str, params: Mapping[str, Any], consumer: str, *, with_rate: bool) -> str:
    """The Transformers schedule nearest to DeepSpeed's; its warm-up is linear, DeepSpeed's logarithmic by default.

    `with_rate` is for an optimizer of the script, whose rate the schedule of the JSON replaced.
    """
    warmup = params.get("warmup_num_steps", 1000)
    total = params.get("total_num_steps")
    if kind not in _SCHEDULES:
        return f"torch.optim.lr_scheduler or deepspeed.runtime.lr_schedules: {kind}(optimizer, {_arguments(params)})"
    cosine = {"cos_min_ratio": 0.0001} if kind == "WarmupCosineLR" else {}
    ends = {key: value for key, value in {**cosine, **params}.items() if key in _STARTS_AND_ENDS}
    remarks = [f"DeepSpeed: {key} {_value(value)}, here 0" for key, value in ends.items() if value != 0]
    peak = peak_rate(kind, params)
    if with_rate and peak is not None:
        remarks.insert(0, f"the optimizer's lr has to be {_value(peak)}, which DeepSpeed's schedule set")
    remark = f"  # {'; '.join(remarks)}" if remarks else ""
    function, name = _SCHEDULES[kind]
    if consumer == "trainer":
        return f'TrainingArguments(lr_scheduler_type="{name}", warmup_steps={_value(warmup)}){remark}'
    steps = [f"num_warmup_steps={_times(warmup)}"]
    if kind != "WarmupLR":
        steps.append(f"num_training_steps={_times(total)}")
    return f"transformers.{function}(optimizer, {', '.join(steps)}){remark}"


def compile_line(options: Mapping[str, Any], consumer: str) -> str:
    """torch.compile in the script, with every option that is not torch's default.

    Accelerate's plugin has all of them (accelerate/utils/dataclasses.py:1033), TrainingArguments two.
    """
    backend, mode = options["backend"], options["mode"]
    moded = {"mode": mode} if isinstance(mode, str) and mode != "default" else {}
    flags = {key: True for key in ("fullgraph", "dynamic", "use_regional_compilation") if options[key] is True}
    if consumer == "trainer":
        named = {"torch_compile_backend": backend, **{f"torch_compile_{key}": value for key, value in moded.items()}}
        left = f"  # not carried: {_arguments(flags)}" if flags else ""
        return f"TrainingArguments(torch_compile=True, {_arguments(named)}){left}"
    if not moded and not flags:
        return f"Accelerator(dynamo_backend={backend!r})"
    return f"Accelerator(dynamo_plugin=TorchDynamoPlugin({_arguments({'backend': backend, **moded, **flags})}))"


def _arguments(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={_value(value)}" for key, value in values.items())


def _times(steps: Any) -> str:
    """Accelerate's prepared scheduler steps once for each process."""
    return f"{_value(steps)} * accelerator.num_processes"


def _value(value: Any) -> str:
    if value in ("auto", None):
        return _AUTO
    return repr(tuple(value)) if isinstance(value, list) else repr(value)
