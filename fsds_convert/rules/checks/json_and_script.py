"""A DeepSpeed JSON against what is known of the model and of the script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fsds_convert.rules.checks.json_file import json_of
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match

_KEYS = (
    "zero_optimization.reduce_bucket_size",
    "zero_optimization.stage3_prefetch_bucket_size",
    "zero_optimization.stage3_param_persistence_threshold",
)
# the names that configurations of transformers give to their hidden size (attribute_map)
_SIZES = ("hidden_size", "hidden_sizes", "n_embd", "d_model", "dim", "embed_dim", "hidden_dim", "n_embed", "emb_dim")
_INSIDE = ("text_config", "llm_config", "language_config", "thinker_config", "decoder", "encoder")


def hidden_size_unknown(facts: Facts) -> Iterator[Match]:
    """The model has no hidden size where it is looked for (accelerate/accelerator.py:2294)."""
    model = facts.context.model
    autos = [key for key in _KEYS if facts.runs(key) == "auto"]
    if model is None or not autos or any(name in model for name in _SIZES):
        return
    inside = next((model[name] for name in _INSIDE if isinstance(model.get(name), Mapping)), None)
    if facts.context.consumer == "trainer" and inside is not None:  # it looks into text_config too
        return
    size = next((inside[name] for name in _SIZES if isinstance(inside.get(name), int)), None) if inside else None
    told = f"{size}, as {size * size}" if size else "a number"
    for key in autos:
        setting = facts.settings[key]
        yield Match({"name": key.rpartition(".")[2], "size": told}, setting.origin.place)


def optimizer_twice(facts: Facts) -> Iterator[Match]:
    """The script's optimizer beside one of the JSON (accelerate/accelerator.py:2251)."""
    optimizer = facts.context.optimizer
    if optimizer and optimizer.rpartition(".")[2] != "DummyOptim" and json_of(facts) is not None:
        yield Match({"class": optimizer})


CHECKS: dict[str, Check] = {
    "hidden_size_unknown": hidden_size_unknown,
    "optimizer_twice": optimizer_twice,
}
