"""The dialects by name: a table of `mappings/` each."""

from __future__ import annotations

TITLES = {
    "accelerate": "Top level of an Accelerate file",
    "fsdp": "fsdp_config",
    "parallelism": "parallelism_config",
    "dynamo": "dynamo_config",
    "fp8": "fp8_config",
    "deepspeed-inline": "deepspeed_config, inline",
    "deepspeed-json": "DeepSpeed JSON",
    "trainer-fsdp": "fsdp_config of the Trainer",
    "training-args": "TrainingArguments",
    "launch-flags": "Flags of accelerate launch",
}
ENGINES = {"fsdp1": "FSDP1", "fsdp2": "FSDP2", "deepspeed": "DeepSpeed", "ddp": "DDP", "single": "one process"}


def names(engines: tuple[str, ...]) -> str:
    """FSDP1, FSDP2."""
    return ", ".join(ENGINES[engine] for engine in engines)
