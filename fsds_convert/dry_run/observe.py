"""The dtypes of one training step, read from hooks and from the tensors themselves."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from fsds_convert.dry_run.model import dtype_name
from fsds_convert.dry_run.spy import CollectiveSpy

_SAMPLE = 4096


def names(tensors: Iterable[Any]) -> str:
    """`fp32`, `bf16 and fp32` and the like; empty for no tensor."""
    return " and ".join(sorted({dtype_name(tensor.dtype) for tensor in tensors if tensor is not None}))


def local(tensor: Any) -> Any:
    """What of a DTensor lies on this rank."""
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def resting(parameter: Any) -> Any:
    """The tensor that holds a parameter between uses: ZeRO-3 keeps its partition aside."""
    return getattr(parameter, "ds_tensor", parameter)


def size(tensors: Iterable[Any]) -> int:
    """Bytes on this rank, each storage once."""
    distinct = {(tensor.data_ptr(), tensor.numel()): tensor for tensor in map(local, tensors) if tensor.numel()}
    return sum(tensor.numel() * tensor.element_size() for tensor in distinct.values())


class Observer:
    """Collects what is seen during a training into `stages`, `steps` (one entry a step) and `held` (bytes)."""

    def __init__(self, accelerator: Any) -> None:
        self.accelerator = accelerator
        self.spy = CollectiveSpy()
        self.stages: dict[str, str] = {}
        self.steps: list[dict[str, float]] = []
        self.held: dict[str, int] = {}
        self._before: list[tuple[Any, Any]] = []
        self._open: dict[str, float] | None = None
        self.buffers_loaded = ""
        self.trainable = 0
        self.total = 0
        self.updated = 0

    # --- the model as loaded

    def loaded(self, model: Any) -> None:
        """Before it is prepared."""
        parameters = list(model.parameters())
        self.stages["loaded"] = names(map(resting, parameters))
        self.buffers_loaded = names(buffer for buffer in model.buffers() if buffer.is_floating_point())
        self.total = sum(getattr(each, "ds_numel", each.numel()) for each in parameters)
        self.trainable = sum(getattr(each, "ds_numel", each.numel()) for each in parameters if each.requires_grad)
        self._watch(model)

    def _watch(self, model: Any) -> None:
        """Hooks on the first linear layer that trains, and on the first module with a buffer; they survive wrapping."""
        linear = next(
            module
            for name, module in model.named_modules()
            if isinstance(module, torch.nn.Linear) and module.weight.requires_grad and not name.endswith("lm_head")
        )
        linear.register_forward_pre_hook(self._at_weight)
        linear.register_forward_hook(self._at_output)
        holder = next((module for module in model.modules() if any(True for _ in module.buffers(recurse=False))), None)
        if holder is not None:
            holder.register_forward_pre_hook(self._at_buffers)

    def _at_weight(self, module: Any, _: Any) -> None:
        weight = module.weight
        if "gradients" in self.stages or not weight.requires_grad or not torch.is_grad_enabled():
            return
        weight.register_hook(lambda gradient: self.stages.setdefault("gradients", dtype_name(gradient.dtype)) and None)

    def _at_output(self, _: Any, __: Any, output: Any) -> None:
        if "compute" not in self.stages:
            self.stages["compute"] = dtype_name(output.dtype)
            kind = output.device.type
            on = torch.is_autocast_enabled(kind)
            self.stages["autocast"] = dtype_name(torch.get_autocast_dtype(kind)) if on else "none"

    def _at_buffers(self, module: Any, _: Any) -> None:
        floating = [buffer for buffer in module.buffers(recurse=False) if buffer.is_floating_point()]
        if "buffers" not in self.stages and floating:
            self.stages["buffers"] = names(floating)

    # --- the model as prepared

    def prepared(self, model: Any, optimizer: Any) -> None:
        """Hooks on the innermost optimizer: what it is given is what is trained."""
        inner = optimizer
        while hasattr(inner, "optimizer"):
            inner = inner.optimizer
        self.inner = inner
        inner.register_step_pre_hook(self._at_step)
        if hasattr(model, "get_global_grad_norm"):
            step = model.step

            def watched(*args: Any, **kwargs: Any) -> Any:
                self.accumulated(model)
                self.spy.phase = "step"
                return step(*args, **kwargs)

            model.step = watched

    def accumulated(self, model: Any) -> None:
        """What an engine of DeepSpeed has added gradients up in, right before its step."""
        if "accumulation" in self.stages:
            return
        held = getattr(model.optimizer, "averaged_gradients", None) or {}
        kept = [tensor for tensors in held.values() for tensor in tensors or ()]
        kept = kept or [each.grad for each in model.parameters() if each.grad is not None]
        if kept:
            self.stages["accumulation"] = names(kept)
            self.held["gradients"] = size(kept)

    def at_rest(self, model: Any) -> None:
        """The bytes of gradients that wait for the step."""
        found = [each.grad for each in model.parameters() if each.grad is not None]
        self.held.setdefault("gradients", size(found))

    def waiting(self, model: Any) -> None:
        """What gradients of FSDP and DDP lie in after a micro step that is not the last one."""
        if "accumulation" not in self.stages:
            found = list(_unsharded(model)) or [each.grad for each in model.parameters() if each.grad is not None]
            if found and not hasattr(model, "get_global_grad_norm"):
                self.stages["accumulation"] = names(found)

    def _at_step(self, optimizer: Any, *_: Any) -> None:
        parameters = [each for group in optimizer.param_groups for each in group["params"]]
        with_gradient = [each for each in parameters if each.grad is not None]
        if self._open is None:
            self._open = {"squares": 0.0, "elements": 0}
        if not self.steps:
            self.stages["master_weights"] = names(parameters)
            self._before += [(each, local(each.detach()).flatten()[:_SAMPLE].clone()) for each in parameters]
        gradients = [local(each.grad) for each in with_gradient]
        self._open["squares"] += sum(float(gradient.detach().double().square().sum()) for gradient in gradients)
        self._open["elements"] += sum(local(each).numel() for each in parameters)

    def end_of_step(self) -> None:
        """A step of the training loop is over; without a step of the optimizer it was skipped."""
        if self._open is not None:
            self.steps.append(self._open)
        self._open = None

    # --- the end

    def finished(self, model: Any) -> None:
        """What rests in memory after the last step."""
        parameters = list(model.parameters())
        self.stages["prepared"] = names(resting(each) for each in parameters if each.requires_grad)
        frozen = [resting(each) for each in parameters if not each.requires_grad]
        if frozen:
            self.stages["frozen"] = names(frozen)
        states = [value for state in self.inner.state.values() for value in state.values() if torch.is_tensor(value)]
        states = [state for state in states if state.dim()]
        self.stages["optimizer_states"] = names(states)
        trained = [tensor for tensor, _ in self._before]
        resting_now = {local(resting(each)).data_ptr() for each in parameters}
        self.held["parameters"] = size(map(resting, parameters))
        self.held["master_weights"] = size(each for each in trained if local(each).data_ptr() not in resting_now)
        self.held["optimizer_states"] = size(states)
        self.stages["reduction"] = " and ".join(self.spy.reductions())
        self.stages["loss_scaler"] = _loss_scaler(self.accelerator, model)
        self.stages["clipping"] = _clipping(model)
        self.updated = sum(
            int((local(tensor.detach()).flatten()[:_SAMPLE] != before).sum()) for tensor, before in self._before
        )

    @property
    def sampled(self) -> int:
        """How many elements `updated` is counted among."""
        return sum(before.numel() for _, before in self._before)


def _unsharded(model: Any) -> Iterator[Any]:
    """The whole gradients that FSDP keeps under no_sync; torch has no public name for them."""
    for module in model.modules():
        handle = getattr(module, "_handle", None)
        if handle is not None and getattr(handle.flat_param, "grad", None) is not None:
            yield handle.flat_param.grad
        state = module._get_fsdp_state() if hasattr(module, "_get_fsdp_state") else None
        for parameter in getattr(getattr(state, "_fsdp_param_group", None), "fsdp_params", ()):
            kept = getattr(parameter, "unsharded_accumulated_grad", None)
            if kept is None and hasattr(parameter, "_unsharded_param"):
                kept = parameter.unsharded_param.grad
            if kept is not None:
                yield kept


def _loss_scaler(accelerator: Any, model: Any) -> str:
    optimizer = getattr(model, "optimizer", None)
    if os.environ.get("ACCELERATE_USE_DEEPSPEED") == "true" and optimizer is not None:
        config = getattr(optimizer, "loss_scale_config", None)  # of the optimizers that wrap ZeRO-0
        if getattr(optimizer, "dynamic_loss_scale", False) or getattr(config, "dynamic_loss_scale", False):
            return "dynamic"
        scale = getattr(optimizer, "cur_scale", None) or getattr(optimizer, "loss_scale", None) or 1.0
        return "none" if float(scale) == 1.0 else f"{float(scale):g}"
    return "dynamic" if accelerator.scaler is not None and accelerator.scaler.is_enabled() else "none"


def _clipping(model: Any) -> str:
    if not hasattr(model, "gradient_clipping"):
        return "by the script"
    norm = float(model.gradient_clipping() or 0.0)
    return str(norm) if norm > 0 else "none"
