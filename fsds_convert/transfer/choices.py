"""The functions that `chosen_by` in `mappings/transfer.yaml` names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from fsds_convert.settings.setting import Decided, Setting
from fsds_convert.transfer.hybrid import hybrid
from fsds_convert.transfer.precision import precision
from fsds_convert.transfer.route import Choice, Route
from fsds_convert.transfer.script_lines import compile_line, optimizer_lines, scheduler_lines


def layer_classes(route: Route, path: str, setting: Setting[Any]) -> Choice | None:
    """--layer-cls, else the source's classes, else the model's own."""
    given = route.options.layer_classes
    if given is not None:
        return route.choose("layer-classes-given", setting, given)
    if isinstance(setting.value, Decided):
        return route.choose("layer-classes-from-the-model", setting, None)
    return None


def accumulation(route: Route, path: str, setting: Setting[Any]) -> Choice | None:
    """--gradient-accumulation-steps to DeepSpeed; from it, a line for the script."""
    if route.target == "deepspeed":
        given = route.options.gradient_accumulation_steps
        return route.choose("accumulation-given", setting, given) if given is not None else None
    if setting.value is Decided.BY_SCRIPT:
        return None
    trainer = route.context.consumer == "trainer"
    name = "accumulation-stands-in-training-arguments" if trainer else "accumulation-moves-to-the-script"
    choice = route.choose(name, setting)
    return choice if setting.value > 1 else replace(choice, note=replace(choice.note, script=""))


def clipping(route: Route, path: str, setting: Setting[Any]) -> Choice | None:
    """--max-grad-norm, else what the consumer does by itself (design 3.3)."""
    given = route.options.max_grad_norm
    if given is not None:
        return route.choose("clipping-given", setting, None if math.isinf(given) else given)
    trainer = route.context.consumer == "trainer"
    return route.choose("clipping-from-training-arguments" if trainer else "deepspeed-clips-by-itself", setting)


def optimizer(route: Route, path: str, setting: Setting[Any]) -> Choice | None:
    """The optimizer or the schedule of a DeepSpeed JSON, as lines for the script."""
    if isinstance(setting.value, Decided):
        return None
    group = path.partition(".")[0]
    params: Mapping[str, Any] = route.values[f"{group}.params"] or {}
    consumer, schedule = route.context.consumer, route.values["scheduler.type"]
    if group == "optimizer":
        lines = optimizer_lines(setting.value, params, consumer, schedule, route.values["scheduler.params"])
        return route.choose("optimizer-moves-to-the-script", setting, script=lines)
    with_rate = isinstance(route.values["optimizer.type"], Decided)
    lines = scheduler_lines(setting.value, params, consumer, with_rate=with_rate)
    return route.choose("scheduler-moves-to-the-script", setting, script=lines)


def compiled(route: Route, path: str, setting: Setting[Any]) -> Choice | None:
    """torch.compile with all its options, as a line for the script."""
    options = {name: route.values[f"compile.{name}"] for name in ("backend", "mode", "fullgraph", "dynamic")}
    options["use_regional_compilation"] = route.values["compile.regional"]
    return route.choose("compile-moves-to-the-script", setting, script=compile_line(options, route.context.consumer))


CHOICES: dict[str, Callable[[Route, str, Setting[Any]], Choice | None]] = {
    "hybrid": hybrid,
    "layer_classes": layer_classes,
    "accumulation": accumulation,
    "clipping": clipping,
    "precision": precision,
    "optimizer": optimizer,
    "compiled": compiled,
}
