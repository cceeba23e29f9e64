"""What one launch is to do, as it reaches the processes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from fsds_convert.settings.context import ModelDtype


@dataclass(frozen=True)
class OptimizerSettings:
    """AdamW, the same on both sides."""

    lr: float = 1e-3
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    weight_decay: float = 0.01


@dataclass(frozen=True)
class Job:
    """One training, without its config file, which the launcher reads.

    `max_norm` and `accumulation` are what the script does; `deepspeed` are settings that are put into the config of the
    engine under their dotted names (None takes one out); `patches` are names of dry_run/environment.py.
    """

    name: str
    folder: str
    steps: int = 20
    batch_size: int = 4
    sequence_length: int = 16
    sequences: int = 64
    seed: int = 0
    model: str | None = None
    model_dtype: ModelDtype = "fp32"
    optimizer: OptimizerSettings = OptimizerSettings()
    accumulation: int | None = None
    max_norm: float | None = None
    activation_checkpointing: bool = False
    frozen: bool = False
    checkpoint: bool = False
    device: str = "cpu"
    devices_per_node: int | None = None
    world: int | None = None
    deepspeed: dict[str, Any] = field(default_factory=dict, hash=False)
    patches: tuple[str, ...] = ()

    def to_json(self) -> str:
        """One argument of a command line."""
        return json.dumps(asdict(self), separators=(",", ":"))


def job_of(text: str) -> Job:
    """The job of an argument that `to_json` made."""
    raw = json.loads(text)
    optimizer = raw.pop("optimizer")
    optimizer["betas"] = tuple(optimizer["betas"])
    raw["patches"] = tuple(raw["patches"])
    return Job(**raw, optimizer=OptimizerSettings(**optimizer))
