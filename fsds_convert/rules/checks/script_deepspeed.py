"""Checks of DeepSpeed settings against what is known of the script: its optimizer, its model, its adapters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match

_LEAVES = "deepspeed_config.deepspeed_moe_layer_cls_names"
_LEAVES_OF_JSON = ("zero_optimization.leaf_module", "zero_optimization.stage3_module_granularity_threshold")

# the block of experts by model_type (transformers/models/*/modeling_*.py)
MOE_BLOCKS = {
    "deepseek_v3": "DeepseekV3MoE",
    "glm4_moe": "Glm4MoeMoE",
    "jamba": "JambaSparseMoeBlock",
    "mixtral": "MixtralSparseMoeBlock",
    "olmoe": "OlmoeSparseMoeBlock",
    "phimoe": "PhimoeSparseMoeBlock",
    "qwen2_moe": "Qwen2MoeSparseMoeBlock",
    "qwen3_moe": "Qwen3MoeSparseMoeBlock",
    "qwen3_next": "Qwen3NextSparseMoeBlock",
}
# leaves without being asked for (deepspeed/runtime/zero/leaf_module_config.py:11)
_LEAVES_BY_ITSELF = ("mixtral", "qwen2_moe", "qwen3_moe")
_LEAF_MODULE_SINCE = (0, 18, 0)

# optimizers that DeepSpeed's take the same steps as (accelerate/utils/deepspeed.py:29), by Trainer's names too
_ON_CPU = frozenset(
    (
        *("adam", "adamw", "adagrad", "deepspeedcpuadam", "adamw32bit", "adagrad32bit", "lion32bit"),
        *("pagedlion32bit", "adamwtorch", "adamwtorchfused", "adamwhf", "dummyoptim"),
    )
)
# the only one of that name that is kept, where the package is said
_LION, _KEPT = "lion", ("bitsandbytes", "bnb")


def optimizer_replaced(facts: Facts) -> Iterator[Match]:
    """accelerate/utils/deepspeed.py:29: any optimizer of the script, at any stage that offloads."""
    package, _, name = _optimizer(facts).rpartition(".")
    plain = name.lower().replace("_", "")
    kept = plain in _ON_CPU or (plain == _LION and (not package or package.startswith(_KEPT)))
    if name and not kept:
        yield Match({"optimizer": name})


def adagrad_offloaded(facts: Facts) -> Iterator[Match]:
    """DeepSpeedCPUAdagrad, which the engine does not take (deepspeed/runtime/engine.py:2342)."""
    if _optimizer(facts).rpartition(".")[2].lower() in ("adagrad", "adagrad32bit"):
        yield Match()


def _optimizer(facts: Facts) -> str:
    """The class of the script's optimizer as it was said, empty where it is not known or the JSON has one."""
    given = facts.context.optimizer or (facts.context.training_args or {}).get("optim")
    held = facts.written("optimizer.type") or facts.written("optimizer")
    return given if isinstance(given, str) and not held else ""


def moe_without_leaves(facts: Facts) -> Iterator[Match]:
    """A model of experts in a list, of which each rank runs others."""
    versions = facts.context.versions
    by_itself = _LEAVES_BY_ITSELF if versions.of("deepspeed") >= _LEAF_MODULE_SINCE else ()
    if facts.runs(_LEAVES) or any(facts.written(key) for key in _LEAVES_OF_JSON):
        return
    for kind in _model_types(facts):
        if kind in MOE_BLOCKS and kind not in by_itself:
            yield Match({"model": kind, "block": MOE_BLOCKS[kind]})


def leaf_of_another_model(facts: Facts) -> Iterator[Match]:
    """A class that is the block of another kind of model; code of its own may have any class."""
    kinds = _model_types(facts)
    if not kinds or "auto_map" in (facts.context.model or {}):
        return
    for name in facts.runs(_LEAVES) or ():
        owners = [kind for kind, block in MOE_BLOCKS.items() if block == name]
        if owners and not set(owners) & set(kinds):
            own = next((MOE_BLOCKS[kind] for kind in kinds if kind in MOE_BLOCKS), "")
            help = f"write `{own}`" if own else "remove it, or name a class of the model"
            yield Match({"name": name, "owner": owners[0], "model": kinds[0], "help": help})


def _model_types(facts: Facts) -> tuple[str, ...]:
    """model_type of the config.json and of the models in it."""
    model: Mapping[str, Any] = facts.context.model or {}
    inside = [value for key, value in model.items() if key.endswith("_config") and isinstance(value, Mapping)]
    kinds = [part.get("model_type") for part in (model, *inside)]
    return tuple(kind for kind in kinds if isinstance(kind, str))


def qlora(facts: Facts) -> Iterator[Match]:
    """The base model is quantized."""
    if facts.context.peft == "qlora":
        yield Match()


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (optimizer_replaced, adagrad_offloaded, moe_without_leaves, leaf_of_another_model, qlora)
}
