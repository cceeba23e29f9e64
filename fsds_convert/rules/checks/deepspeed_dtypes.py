"""The precision that a DeepSpeed JSON says against the one that is asked for at the launch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsds_convert.diagnostics import Change, Place
from fsds_convert.engines.deepspeed_precision import mode_of
from fsds_convert.rules.checks.json_file import json_of
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match
from fsds_convert.settings.show import show

_MODES = ("bf16", "fp16")


def auto_precision(facts: Facts) -> Iterator[Match]:
    """ "auto" in a section, and nobody who says what it becomes."""
    autos = [name for name in _MODES if _enabled(facts, name) == "auto"]
    if autos and not any(_enabled(facts, name) is True for name in _MODES) and not _asked(facts):
        setting = facts.settings[f"{autos[0]}.enabled"]
        yield Match({"name": autos[0]}, setting.origin.place)


def no_precision(facts: Facts) -> Iterator[Match]:
    """Neither section is written, and nobody asks for one."""
    source = json_of(facts)
    if source is not None and not any(name in source.data for name in (*_MODES, "bfloat16")) and not _asked(facts):
        autocast = facts.runs("torch_autocast.enabled")
        if not autocast:
            yield Match(place=Place(source.name))


def precision_off(facts: Facts) -> Iterator[Match]:
    """Accelerate fills "auto" and adds a section that is missing, but leaves a `false` (utils/dataclasses.py:1415)."""
    asked = facts.context.mixed_precision
    name = "bf16" if asked == "fp8" else asked
    if name in _MODES and _enabled(facts, name) is False and not _other(facts, name):
        origin = facts.settings[f"{name}.enabled"].origin
        yield Match({"asked": asked, "name": name}, origin.place, (Change("set", origin.path, True),))


def precision_mismatch(facts: Facts) -> Iterator[Match]:
    """The Trainer compares both sections with its arguments (transformers/integrations/deepspeed.py:195)."""
    asked = facts.context.mixed_precision if facts.context.training_args is None else None
    for name in _MODES if asked in ("no", *_MODES) else ():
        said = _enabled(facts, name)
        if isinstance(said, bool) and said != (asked == name):
            words = {"name": name, "said": show(said), "hf": asked == name, "asked": asked}
            origin = facts.settings[f"{name}.enabled"].origin
            yield Match(words, origin.place, (Change("set", origin.path, "auto"),))


def accumulation_dtype(facts: Facts) -> Iterator[Match]:
    """Stage 0 has no optimizer that accumulates in another dtype (deepspeed/runtime/engine.py:2323)."""
    yield from _differs(facts, "data_types.grad_accum_dtype")


def parameter_dtype(facts: Facts) -> Iterator[Match]:
    """It may only repeat the mode (deepspeed/runtime/engine.py:1827)."""
    yield from _differs(facts, "data_types.param_dtype")


def bf16_optimizer(facts: Facts) -> Iterator[Match]:
    """The optimizer of bf16 parameters and fp32 gradients runs (deepspeed/runtime/engine.py:2305)."""
    if _bf16_optimizer(facts):
        yield Match()


def zero_optimizer(facts: Facts) -> Iterator[Match]:
    """The optimizer of ZeRO runs, and not that of bf16 parameters and fp32 gradients."""
    if not _bf16_optimizer(facts):
        yield Match()


def odd_bucket(facts: Facts) -> Iterator[Match]:
    """ZeRO's optimizer aligns the buffer to two elements (deepspeed/runtime/zero/stage_1_and_2.py:389)."""
    setting = facts.setting("zero_optimization.allgather_bucket_size")
    odd = setting is not None and setting.is_written and isinstance(setting.value, int) and setting.value % 2
    if odd and setting is not None and not _bf16_optimizer(facts):
        yield Match(changes=(Change("set", setting.origin.path, setting.value - 1),))


def _bf16_optimizer(facts: Facts) -> bool:
    return (
        facts.runs("zero_optimization.stage") == 1
        and facts.runs("data_types.grad_accum_dtype") == "fp32"
        and facts.runs("zero_optimization.offload_optimizer.device") != "cpu"
        and _model_dtype(facts) == "bf16"
    )


def _differs(facts: Facts, key: str) -> Iterator[Match]:
    said, dtype = facts.runs(key), _model_dtype(facts)
    if said is not None and dtype is not None and said != dtype:
        yield Match({"said": said, "dtype": dtype})


def _model_dtype(facts: Facts) -> str | None:
    """The dtype of the engine's parameters, where the file decides it."""
    mode = mode_of(facts.settings, facts.context, intent=False)
    if mode in ("bf16", "fp8", "fp16"):
        return "fp16" if mode == "fp16" else "bf16"
    off = all(_enabled(facts, name) is False for name in _MODES)
    decided = off or facts.context.consumer == "deepspeed" or _asked(facts)
    return "fp32" if mode == "no" and decided else None


def _asked(facts: Facts) -> bool:
    """Whether the precision of the launch is known."""
    setting = facts.setting("mixed_precision")
    written = setting is not None and setting.is_written and setting.written is not None
    return written or facts.context.mixed_precision is not None


def _other(facts: Facts, name: str) -> bool:
    return any(_enabled(facts, other) is True for other in _MODES if other != name)


def _enabled(facts: Facts, name: str) -> Any:
    """What the section says: None where it is not written."""
    setting = facts.setting(f"{name}.enabled")
    return setting.value if setting is not None and setting.is_written else None


CHECKS: dict[str, Check] = {
    "auto_precision": auto_precision,
    "no_precision": no_precision,
    "precision_off": precision_off,
    "precision_mismatch": precision_mismatch,
    "accumulation_dtype": accumulation_dtype,
    "parameter_dtype": parameter_dtype,
    "bf16_optimizer": bf16_optimizer,
    "zero_optimizer": zero_optimizer,
    "odd_bucket": odd_bucket,
}
