"""For whom, and for which releases, a file is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fsds_convert.tables.versions import Versions

Consumer = Literal["accelerate", "trainer", "deepspeed"]
ModelDtype = Literal["fp32", "bf16", "fp16"]


@dataclass(frozen=True)
class Context:
    """`consumer` is what runs the training loop; `model_dtype` the dtype the script loads the model in, when known.

    The consumer `deepspeed` is a script that calls deepspeed.initialize itself, and reads a DeepSpeed JSON only.
    `gpus_per_node` is the number of processes that FSDP1 sees on one node; without it num_processes / num_machines.
    The launch fields stand in for what the file does not say; a DeepSpeed JSON holds none of them. What the script does
    is known only where it was said: `optimizer` its class, `peft` lora or qlora, `model` the config.json of the
    Transformers model, `training_args` the TrainingArguments as a mapping.
    """

    consumer: Consumer = "accelerate"
    versions: Versions = field(default_factory=Versions)
    model_dtype: ModelDtype | None = None
    mixed_precision: str | None = None
    gpus_per_node: int | None = None
    num_processes: int | None = None
    num_machines: int | None = None
    machine_rank: int | None = None
    main_process_ip: str | None = None
    main_process_port: int | None = None
    optimizer: str | None = None
    peft: str | None = None
    model: Mapping[str, Any] | None = field(default=None, hash=False)
    training_args: Mapping[str, Any] | None = field(default=None, hash=False)
