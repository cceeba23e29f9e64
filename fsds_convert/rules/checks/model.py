"""What depends on the model or the script: silent where nothing was said about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fsds_convert.diagnostics import Change
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.keys import path_of
from fsds_convert.rules.match import Check, Match
from fsds_convert.syntax.closest import closest, surely
from fsds_convert.tables.load import load_document

_CLASSES = "fsdp_config.fsdp_transformer_layer_cls_to_wrap"


def loaded_in_16_bits(facts: Facts) -> Iterator[Match]:
    """The script loads the model in 16 bits; the mend names that dtype."""
    dtype = facts.context.model_dtype
    if dtype in ("bf16", "fp16"):
        yield Match({"dtype": dtype}, changes=(Change("set", path_of("mixed_precision", facts), dtype),))


def frozen_in_16_bits(facts: Facts) -> Iterator[Match]:
    """LoRA on a model that the script loads in 16 bits."""
    if facts.context.peft == "lora" and facts.context.model_dtype in ("bf16", "fp16"):
        yield Match({"dtype": facts.context.model_dtype})


def lora(facts: Facts) -> Iterator[Match]:
    """The script trains LoRA weights beside frozen ones."""
    if facts.context.peft == "lora":
        yield Match()


def qlora(facts: Facts) -> Iterator[Match]:
    """The script trains LoRA weights beside 4-bit ones."""
    if facts.context.peft == "qlora":
        yield Match()


def layer_class_of_another_model(facts: Facts) -> Iterator[Match]:
    """A class to wrap that is a layer of other models of Transformers, or one of this model misspelt."""
    written, model = facts.runs(_CLASSES), facts.context.model
    types = _types(model) if model is not None else ()
    rows: dict[str, dict[str, list[str]]] = load_document("models")["models"] if types and written else {}
    if not rows or any(name not in rows for name in types):
        return
    layers = [layer for name in types for layer in rows[name]["layers"]]
    there = {name for each in types for kind in rows[each].values() for name in kind}
    everywhere = {layer for row in rows.values() for layer in row["layers"]}
    wrong = [n for n in written if n not in there and (n in everywhere or any(_misspelt(n, layer) for layer in layers))]
    if wrong:
        meant = {name: _alike(name, layers) for name in wrong}
        names = dict.fromkeys(each for name in written for each in meant.get(name, [name]))
        words = {"wrong": ", ".join(f"`{name}`" for name in wrong), "model": types[0], "layers": ",".join(names)}
        yield Match(words, changes=(Change("set", path_of(_CLASSES, facts), ",".join(names)),))


def _misspelt(name: str, layer: str) -> bool:
    """Whether a name is that of a layer but for its case or a letter; another digit or word makes another class."""
    digits = [letter for letter in name if letter.isdigit()] == [letter for letter in layer if letter.isdigit()]
    return digits and abs(len(name) - len(layer)) <= 1 and surely(name, layer)


def _types(model: Mapping[str, Any]) -> tuple[str, ...]:
    """The model type, then those of the models inside; none where one does not say it, or the code is remote."""
    inside = [value for value in model.values() if isinstance(value, Mapping) and "model_type" in value]
    nested = [key for key, value in model.items() if isinstance(value, Mapping) and str(key).endswith("_config")]
    unknown = any("model_type" not in model[key] for key in nested if key != "quantization_config")
    types = [found for each in (model, *inside) if isinstance(found := each.get("model_type"), str)]
    if "auto_map" in model or unknown or len(types) <= len(inside):
        return ()
    return tuple(types)


def _alike(name: str, layers: list[str]) -> list[str]:
    """The nearest layer of the same kind, by the last word of the name (BertLayer, XLMRobertaLayer); else all."""
    last = _last_word(name)
    same = [layer for layer in layers if _last_word(layer) == last]
    near = closest(name, same or layers)
    return [near] if near is not None else same or layers


def _last_word(name: str) -> str:
    start = max(index for index, letter in enumerate(name) if letter.isupper() or index == 0)
    return name[start:]


CHECKS: dict[str, Check] = {
    "loaded_in_16_bits": loaded_in_16_bits,
    "frozen_in_16_bits": frozen_in_16_bits,
    "lora": lora,
    "qlora": qlora,
    "layer_class_of_another_model": layer_class_of_another_model,
}
