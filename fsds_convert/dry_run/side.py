"""A config and the job that it is to do in a scenario."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fsds_convert.containers.reading import Reading
from fsds_convert.dry_run.job import Job, OptimizerSettings
from fsds_convert.dry_run.launch import Launch
from fsds_convert.dry_run.table import Need, Scenario, needs_of
from fsds_convert.dry_run.topology import Override, Topology
from fsds_convert.settings.context import ModelDtype

_TINY_LAYER = "LlamaDecoderLayer"


@dataclass(frozen=True)
class Side:
    """A config that was read, the file to launch, and a name for the report."""

    label: str
    reading: Reading
    config_file: str
    topology: Topology


@dataclass(frozen=True)
class Script:
    """What the training script does on both sides. `max_norm` None: it does not clip; `accumulation` None: unknown."""

    steps: int = 20
    sequences: int = 64
    model: str | None = None
    model_dtype: ModelDtype = "fp32"
    optimizer: OptimizerSettings = field(default_factory=OptimizerSettings)
    max_norm: float | None = None
    accumulation: int = 1
    mixed_precision: str | None = None


@dataclass(frozen=True)
class Run:
    """A launch, what it changes in the user's config, and the stages that it cannot show."""

    launch: Launch
    overrides: tuple[Override, ...]
    untested: tuple[str, ...]


def run_of(
    side: Side, script: Script, scenario: Scenario, device: str, folder: Path, name: str, world: int | None = None
) -> Run:
    """The launch of a side in a scenario."""
    needs = needs_of(side.reading, device, scenario.name)
    overrides = list(side.topology.overrides)
    flags = dict(side.topology.flags)
    deepspeed = dict(side.topology.deepspeed)
    patches = []
    for need in needs:
        flags |= need.flags
        deepspeed |= need.deepspeed
        patches += [need.patch] if need.patch else []
        overrides.append(Override(_what(need), need.why, need.quiet, need.untested))
    if script.mixed_precision:
        flags["mixed_precision"] = script.mixed_precision
    layer = _layer(side.reading, script)
    if layer is not None:
        flags["fsdp_transformer_layer_cls_to_wrap"] = layer[0]
        overrides.append(Override(f"fsdp_transformer_layer_cls_to_wrap: {layer[0]} for {layer[1]}", _LAYER_WHY))
    asked = dict(scenario.job)
    clip = asked.pop("clip", None)
    max_norm = script.max_norm
    if clip is not None:
        max_norm = None if clip == "none" else float(clip)
        if side.reading.engine == "deepspeed":
            deepspeed["gradient_clipping"] = max_norm or 0.0
            overrides.append(Override(f"gradient_clipping: {max_norm or 0.0}", f"the scenario: {scenario.about}"))
    accumulation = asked.pop("accumulation", None)
    if accumulation is not None and side.reading.engine == "deepspeed":
        deepspeed |= _batch_of(side.reading)
        overrides.append(Override(f"gradient_accumulation_steps: {accumulation}", f"the scenario: {scenario.about}"))
    written = side.reading.runs.accumulation.steps.value
    if accumulation is None and not isinstance(written, int):
        accumulation = script.accumulation
    job = Job(
        name=f"{side.label}, {scenario.name}" if scenario.job else side.label,
        folder=str(folder / name),
        steps=script.steps,
        sequences=script.sequences,
        model=script.model,
        model_dtype=script.model_dtype,
        optimizer=script.optimizer,
        accumulation=accumulation,
        max_norm=max_norm,
        device=device,
        devices_per_node=side.topology.devices_per_node if device == "cpu" else None,
        world=world,
        deepspeed=deepspeed,
        patches=tuple(patches),
    )
    job = replace(job, **asked)
    untested = tuple(stage for need in needs for stage in need.untested)
    return Run(Launch(side.config_file, job, flags, side.topology.processes), tuple(overrides), untested)


_LAYER_WHY = "the tiny model is a Llama; --model takes another"


def _what(need: Need) -> str:
    changed = [f"{name}: {value}" for name, value in need.flags.items()]
    changed += [
        f"{name}: {json.dumps(value)}" if value is not None else f"no {name}" for name, value in need.deepspeed.items()
    ]
    return ", ".join(changed) or need.name


def _layer(reading: Reading, script: Script) -> tuple[str, str] | None:
    """The layer to wrap in the tiny model, and what stands in the file, where that is another."""
    classes = reading.runs.wrapping.layer_classes.value
    if script.model is not None or not isinstance(classes, tuple) or not classes or classes == (_TINY_LAYER,):
        return None
    return _TINY_LAYER, ",".join(classes)


def _batch_of(reading: Reading) -> Mapping[str, Any]:
    """A fixed batch size would not fit another accumulation."""
    fixed = isinstance(reading.runs.batch.train_batch_size.value, int)
    return {"train_batch_size": "auto"} if fixed else {}


def script_of(
    readings: tuple[Reading, ...], asked: Script, max_norm: float | None, accumulation: int | None
) -> tuple[Script, tuple[str, ...]]:
    """What the script does by itself, so that both sides can be the same training; and what is to be said of it."""
    said = []
    engine = next((reading for reading in readings if reading.engine == "deepspeed"), None)
    norm = None if max_norm is None or math.isinf(max_norm) else max_norm
    if max_norm is None and engine is not None:
        value = engine.runs.clipping.max_norm.value
        norm = float(value) if isinstance(value, (int, float)) and not math.isinf(value) else None
        if norm is not None and any(reading.engine != "deepspeed" for reading in readings):
            said.append(f"the script clips at {norm:g} under FSDP, as DeepSpeed does by itself")
    if accumulation is None:
        steps = [reading.runs.accumulation.steps.value for reading in readings]
        accumulation = next((value for value in steps if isinstance(value, int) and value > 0), 1)
        if accumulation > 1 and any(not isinstance(value, int) for value in steps):
            said.append(f"the script accumulates {accumulation} micro steps, as the DeepSpeed side says")
    optimizer = _optimizer(readings, asked.optimizer)
    return replace(asked, max_norm=norm, accumulation=accumulation, optimizer=optimizer), tuple(said)


def _optimizer(readings: tuple[Reading, ...], asked: OptimizerSettings) -> OptimizerSettings:
    """The numbers of the optimizer that a DeepSpeed JSON holds."""
    for reading in readings:
        params = reading.runs.optimizer.params.value
        if isinstance(params, Mapping):
            numbers: dict[str, Any] = {name: value for name, value in params.items() if isinstance(value, (int, float))}
            betas = params.get("betas")
            if isinstance(betas, (list, tuple)) and len(betas) == 2 and all(isinstance(beta, float) for beta in betas):
                numbers["betas"] = (betas[0], betas[1])
            known = {name: numbers[name] for name in ("lr", "betas", "eps", "weight_decay") if name in numbers}
            return replace(asked, **known)
    return asked
