"""Which precision DeepSpeed trains in: Accelerate's mixed_precision against the JSON's sections (semantics C.3)."""

from __future__ import annotations

from typing import Any

from fsds_convert.engines.stages import asked
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided, Setting, Settings, default

STAGE = "zero_optimization.stage"
BF16, FP16 = "bf16.enabled", "fp16.enabled"
_MASTER = {"bf16": "bf16.bf16_master_weights_and_grads", "fp16": "fp16.fp16_master_weights_and_grads"}
_STATES = "bf16.bf16_optimizer_states"
_AUTOCAST, _AUTOCAST_DTYPE = "torch_autocast.enabled", "torch_autocast.dtype"
_AUTO_CAST = "fp16.auto_cast"
_SHORT = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32", "float": "fp32"}


def short_dtype(name: Any) -> Any:
    """torch's or DeepSpeed's name of a dtype -> fp32, bf16 or fp16."""
    text = str(name).lower().removeprefix("torch.")
    return _SHORT.get(text, text)


def fields(settings: Settings, context: Context) -> dict[str, Setting[Any]]:
    """The precision group of the plan."""
    source = _deciding(settings)
    ran = _dtypes(settings, context, intent=False)
    meant = _dtypes(settings, context, intent=True)
    names = ("precision.compute", "precision.master_weights", "precision.optimizer_states")
    found = {name: source.lift(ran[i], meant[i], _silently(source, ran[0], meant[0])) for i, name in enumerate(names)}
    found["precision.autocast"] = default(None, "no torch_autocast")
    if mode_of(settings, context, intent=True) == "no":
        found["precision.compute"] = source.lift(ran[0], meant[0], source.note or _NO_SECTION)
    autocast = settings.get(_AUTOCAST)
    if autocast is not None and autocast.value:
        dtype = settings.get(_AUTOCAST_DTYPE, autocast)
        named = dtype is not autocast and dtype.value is not None
        short = short_dtype(dtype.value) if named else "fp16"  # what torch.autocast takes on CUDA without a dtype
        found["precision.autocast"] = dtype.lift(short, short)
        found["precision.compute"] = dtype.lift(short, short, "torch.autocast around the forward pass")
    return found


def _deciding(settings: Settings) -> Setting[Any]:
    """The setting that a reader would look at: a section of the JSON where there is one, else mixed_precision."""
    for key in (BF16, FP16):
        if key in settings and settings[key].is_written and settings[key].intent not in (False, None):
            return settings[key]
    return settings.get("mixed_precision", default("no", "no mixed_precision"))


# what a plan says of its compute dtype where no section decides it: the dtype alone does not tell
_NO_SECTION = "no mixed precision: the dtype that the model has"


def _silently(source: Setting[Any], ran: Any, meant: Any) -> str:
    return source.note or ("" if ran == meant else "nothing resolves it, so DeepSpeed trains without it")


def mode_of(settings: Settings, context: Context, *, intent: bool) -> str:
    """`bf16`, `fp16`, `fp8`, `no`, or `auto` where nobody has resolved it.

    The table is DeepSpeedPlugin.set_mixed_precision (accelerate/utils/dataclasses.py:1415).
    """

    def section(name: str) -> Any:
        """The section's `enabled`: None without the section, False where only other keys stand in it."""
        setting = settings.get(f"{name}.enabled")
        if setting is not None and setting.is_written:
            return setting.intent if intent else setting.value
        written = any(key.startswith(f"{name}.") and other.is_written for key, other in settings.items())
        return False if written else None

    given = settings.get("mixed_precision")
    asked = context.mixed_precision if context.consumer != "deepspeed" else None
    if given is not None and given.is_written and given.written is not None:
        asked = given.intent if intent else given.value
    bf16, fp16 = section("bf16"), section("fp16")
    if bf16 is True or fp16 is True:
        return ("fp8" if asked == "fp8" else "bf16") if bf16 is True else "fp16"
    if asked in ("bf16", "fp8") and bf16 in (None, "auto"):
        return str(asked)
    if asked == "fp16" and fp16 in (None, "auto"):
        return "fp16"
    unresolved = asked is None and "auto" in (bf16, fp16) and (intent or context.consumer == "trainer")
    return "auto" if unresolved else "no"


def sections(settings: Settings, context: Context) -> dict[str, Setting[Any]]:
    """The sections that Accelerate adds for mixed_precision, with its origin (accelerate/utils/dataclasses.py:1415)."""
    mode = mode_of(settings, context, intent=False)
    origin = _deciding(settings)
    given = {"bf16": {BF16: True}, "fp8": {BF16: True}, "fp16": {FP16: True, _AUTO_CAST: True}}.get(mode, {})
    if any(key.startswith("fp16.") and setting.is_written for key, setting in settings.items()):
        given.pop(_AUTO_CAST, None)  # only with a section that Accelerate makes itself
    return {
        key: Setting(value, value, key, origin=origin.origin, note=f"added for mixed_precision {mode}")
        for key, value in given.items()
        if key in settings and not settings[key].is_written
    }


def _dtypes(settings: Settings, context: Context, *, intent: bool) -> tuple[Any, Any, Any]:
    """Compute, master weights and optimizer states."""
    stage = settings[STAGE].intent if intent else settings[STAGE].value
    facts = {key: settings[key].value for key in (*_MASTER.values(), _STATES) if key in settings} | {STAGE: stage}
    question = asked("deepspeed", context, mode_of(settings, context, intent=intent), facts)
    return question.value("compute"), question.value("master_weights"), question.value("optimizer_states")


def settings_of(plan: TrainingPlan) -> dict[str, Any]:
    """The precision sections that give the plan's dtypes, as DeepSpeed's JSON spells them."""
    compute, master, states = (
        plan.precision.compute.value,
        plan.precision.master_weights.value,
        plan.precision.optimizer_states.value,
    )
    if plan.precision.compute.note == _NO_SECTION:
        return {}
    if plan.precision.autocast.value is not None:
        dtype = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}[plan.precision.autocast.value]
        return {_AUTOCAST: True, _AUTOCAST_DTYPE: dtype}
    if compute in ("bf16", "fp8") and (master == "fp32" or (master, states) == ("bf16", "bf16")):
        low = {_MASTER["bf16"]: True, _STATES: True} if master == "bf16" else {}
        return {BF16: True, **low}
    if compute == "bf16" and master == "bf16" and states == "fp32":
        return {BF16: True, _MASTER["bf16"]: True}
    if compute == "fp16" and master == "fp32":
        return {FP16: True, _AUTO_CAST: True}  # as Accelerate writes the section (dataclasses.py:1426)
    if compute is Decided.BY_COMMAND_LINE:
        return {BF16: "auto"}
    return {}
