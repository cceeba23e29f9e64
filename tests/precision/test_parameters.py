"""Parameters counted from a config's numbers, against the model that Transformers makes of it on the meta device."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fsds_convert.errors import FsdsError
from fsds_convert.precision.parameters import size_from_config, size_of
from fsds_convert.tables.load import load_document

SMALL: dict[str, Any] = {
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "intermediate_size": 96,
    "vocab_size": 101,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
GPT2 = {"n_embd": 64, "n_layer": 3, "n_head": 8, "vocab_size": 101, "n_positions": 32}
EXPERTS = {"num_experts": 4, "moe_intermediate_size": 48, "num_experts_per_tok": 2}
CASES: list[tuple[str, dict[str, Any]]] = [
    ("llama", SMALL),
    ("llama", {**SMALL, "attention_bias": True, "mlp_bias": True, "tie_word_embeddings": True}),
    ("llama", {**SMALL, "head_dim": 16, "num_key_value_heads": 8}),
    ("granite", SMALL),
    ("smollm3", SMALL),
    ("smollm3", {**SMALL, "tie_word_embeddings": False}),
    ("mistral", SMALL),
    ("qwen2", SMALL),
    ("qwen2", {**SMALL, "tie_word_embeddings": True}),
    ("qwen3", SMALL),
    ("qwen3", {**SMALL, "attention_bias": True, "head_dim": 16}),
    ("gemma", SMALL),
    ("gemma", {**SMALL, "head_dim": 8}),
    ("gemma2", SMALL),
    ("gemma3_text", SMALL),
    ("phi3", SMALL),
    ("phi", SMALL),
    ("phi", {**SMALL, "qk_layernorm": True}),
    ("gpt2", GPT2),
    ("gpt2", {**GPT2, "n_inner": 80, "tie_word_embeddings": False}),
    ("gpt_neox", SMALL),
    ("gpt_neox", {**SMALL, "attention_bias": False, "tie_word_embeddings": True}),
    ("mixtral", {**SMALL, "num_local_experts": 4}),
    ("qwen2_moe", {**SMALL, **EXPERTS, "shared_expert_intermediate_size": 32}),
    ("qwen2_moe", {**SMALL, **EXPERTS, "shared_expert_intermediate_size": 32, "decoder_sparse_step": 2}),
    ("qwen3_moe", {**SMALL, **EXPERTS}),
    ("qwen3_moe", {**SMALL, **EXPERTS, "mlp_only_layers": [1]}),
]


def test_every_family_has_a_case() -> None:
    assert {kind for kind, _ in CASES} == set(load_document("model-sizes")["families"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "config"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_count_is_that_of_transformers(kind: str, config: dict[str, Any]) -> None:
    """Also from the config.json that Transformers itself writes."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    if kind.startswith("gemma3"):
        config = {**config, "sliding_window": 16}
    made = transformers.AutoConfig.for_model(kind, **config)
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(made)
    expected = sum(parameter.numel() for parameter in model.parameters())
    assert size_from_config({**config, "model_type": kind}).parameters == expected
    assert size_from_config(json.loads(made.to_json_string(use_diff=False))).parameters == expected
    name = next(iter(model._no_split_modules))
    layers = [module for module in model.modules() if type(module).__name__ == name]
    largest = max(sum(parameter.numel() for parameter in layer.parameters()) for layer in layers)
    assert size_from_config({**config, "model_type": kind}).layer == largest


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("7B", 7_000_000_000),
        ("1.5b", 1_500_000_000),
        ("350M", 350_000_000),
        ("124439808", 124_439_808),
        ("90k", 90_000),
    ],
)
def test_size_as_people_write_it(text: str, count: int) -> None:
    assert size_of(text).parameters == count


@pytest.mark.parametrize("text", ["", "B", "-7B", "0", "seven", "7BB", "1e9"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(FsdsError, match="no number of parameters"):
        size_of(text)


@pytest.mark.parametrize(
    "config", [{}, {"model_type": "t5"}, {"model_type": "llama"}, {"model_type": "llama", **SMALL, "hidden_size": "64"}]
)
def test_config_that_says_too_little(config: dict[str, Any]) -> None:
    with pytest.raises(FsdsError):
        size_from_config(config)
