"""A tiny Llama and its data, both from seeds: nothing is downloaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, LlamaConfig

from fsds_convert.dry_run.job import Job

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
NAMES = {
    torch.float32: "fp32",
    torch.bfloat16: "bf16",
    torch.float16: "fp16",
    torch.float64: "fp64",
}


def dtype_name(dtype: torch.dtype) -> str:
    """fp32, bf16, fp16 and the like."""
    return NAMES.get(dtype, str(dtype).removeprefix("torch."))


def tiny_config() -> Any:
    """90 432 parameters: two decoder layers of width 64."""
    return LlamaConfig(
        hidden_size=64,
        num_hidden_layers=2,
        vocab_size=128,
        intermediate_size=128,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        use_cache=False,
        pad_token_id=None,
        bos_token_id=None,
        eos_token_id=None,
    )


def load_model(job: Job) -> Any:
    """The model as a script gets it from `from_pretrained(dtype=...)`, where zero.Init and loading on rank 0 act."""
    dtype = DTYPES[job.model_dtype]
    if job.model is not None and _has_weights(Path(job.model)):
        return AutoModelForCausalLM.from_pretrained(job.model, dtype=dtype)
    config = tiny_config() if job.model is None else AutoConfig.from_pretrained(job.model)
    config.use_cache = False
    made = AutoModelForCausalLM._model_mapping[type(config)]
    torch.manual_seed(job.seed)
    weights = dict(made(config).state_dict())  # the constructor alone knows nothing of zero.Init
    return made.from_pretrained(None, config=config, state_dict=weights, dtype=dtype)


def _has_weights(path: Path) -> bool:
    return any(path.glob("*.safetensors")) or any(path.glob("pytorch_model*.bin"))


def vocabulary(job: Job) -> int:
    """How many tokens the data may hold."""
    if job.model is None:
        return 128
    path = Path(job.model)
    config = json.loads((path / "config.json" if path.is_dir() else path).read_text("utf-8"))
    return int(config.get("vocab_size") or config.get("text_config", {}).get("vocab_size") or 128)


def batches(job: Job, processes: int, micro_steps: int) -> Any:
    """A DataLoader long enough for all micro steps; the same sequences again and again."""
    generator = torch.Generator().manual_seed(job.seed + 7)
    distinct = torch.randint(0, vocabulary(job), (job.sequences, job.sequence_length), generator=generator)
    needed = job.batch_size * processes * (micro_steps + 2)
    return torch.utils.data.DataLoader(distinct.repeat(-(-needed // job.sequences), 1), batch_size=job.batch_size)
