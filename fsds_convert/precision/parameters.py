"""How many parameters a model has: from `7B`, or from the numbers of a Transformers config.json."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fsds_convert.errors import FsdsError
from fsds_convert.tables.load import load_document

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMBT]?)", re.IGNORECASE)
_POWER = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}


@dataclass(frozen=True)
class ModelSize:
    """Parameters of the whole model, and where they are known its largest layer and its hidden size."""

    parameters: int
    layer: int | None = None
    hidden: int | None = None


def size_of(text: str) -> ModelSize:
    """`7B`, `350M` or `124439808`; raises FsdsError for anything else."""
    match = _SIZE.fullmatch(text.strip())
    count = round(float(match[1]) * _POWER[match[2].upper()]) if match else 0
    if not count:
        raise FsdsError(f"`{text}` is no number of parameters", "write it as 7B, 350M or 124439808")
    return ModelSize(count)


def size_from_config(config: Mapping[str, Any]) -> ModelSize:
    """Counts a decoder's parameters; raises FsdsError for a family that is not known, or a number that is missing."""
    families = load_document("model-sizes")["families"]
    kind = config.get("model_type")
    if kind not in families:
        known = ", ".join(sorted(families))
        raise FsdsError(
            f"how many parameters a model of type `{kind}` has is not known", f"give --params; known are {known}"
        )
    return _Decoder(families[kind], config).size()


@dataclass(frozen=True)
class _Decoder:
    """A family's row beside the numbers of one config."""

    family: Mapping[str, Any]
    config: Mapping[str, Any]

    def size(self) -> ModelSize:
        hidden, vocabulary = self.number("hidden_size"), self.number("vocab_size")
        layers = [self.layer(index) for index in range(self.number("num_hidden_layers"))]
        tied = self.value("tie_word_embeddings") or False
        head = 0 if tied else vocabulary * hidden
        head += vocabulary if self.has("head_bias") else 0
        positions = self.number(self.family["positions"]) * hidden if "positions" in self.family else 0
        around = vocabulary * hidden + positions + self.norm(hidden) + head
        return ModelSize(around + sum(layers), max(layers), hidden)

    def layer(self, index: int) -> int:
        """Attention, MLP or experts, and norms of one layer."""
        hidden, heads = self.number("hidden_size"), self.number("num_attention_heads")
        size: int = self.value("head_dim") or hidden // heads
        pairs = heads if self.has("multi_head") else self.value("num_key_value_heads") or heads
        queries, keys = heads * size, pairs * size
        count: int = hidden * (queries + 2 * keys) + queries * hidden
        count += (queries + 2 * keys if self.has("qkv_bias") else 0) + (hidden if self.has("out_bias") else 0)
        count += 2 * size if self.has("qk_norm") else 0
        count += 2 * self.norm(size) if self.has("qk_layernorm") else 0
        count += self.family.get("norms", 2) * self.norm(hidden)
        return count + (self.experts() if self.is_sparse(index) else self.mlp(self.intermediate()))

    def is_sparse(self, index: int) -> bool:
        """Whether a layer routes between experts."""
        if "experts" not in self.family:
            return False
        if not self.family.get("dense"):
            return True
        step = self.number("decoder_sparse_step")
        return index not in (self.value("mlp_only_layers") or ()) and (index + 1) % step == 0

    def experts(self) -> int:
        hidden, count = self.number("hidden_size"), self.number(self.family["experts"])
        total = count * self.mlp(self.number(self.family["expert_size"])) + hidden * count
        if "shared_size" in self.family:
            total += self.mlp(self.number(self.family["shared_size"])) + hidden
        return total

    def mlp(self, inner: int) -> int:
        hidden, first = self.number("hidden_size"), 2 if self.has("gated") else 1
        return (first + 1) * hidden * inner + (first * inner + hidden if self.has("mlp_bias") else 0)

    def intermediate(self) -> int:
        name = self.family.get("names", {}).get("intermediate_size", "intermediate_size")
        if self.value("intermediate_size") is None and name in self.family.get("defaults", {}):
            return 4 * self.number("hidden_size")
        return self.number("intermediate_size")

    def norm(self, width: int) -> int:
        return 2 * width if self.has("norm_bias") else width

    def has(self, what: str) -> bool:
        """Whether the family has it, or the config's key says so."""
        said = self.family.get(what, False)
        return bool(self.value(said)) if isinstance(said, str) else bool(said)

    def value(self, key: str) -> Any:
        """A key of the config by the name that the family uses, else by the common one."""
        name = self.family.get("names", {}).get(key, key)
        found = self.config.get(name, self.config.get(key))
        return self.family.get("defaults", {}).get(name) if found is None else found

    def number(self, key: str) -> int:
        value = self.value(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            hint = "give the config.json of the model, or --params"
            raise FsdsError(f"the model's config has no number `{key}`", hint)
        return value
