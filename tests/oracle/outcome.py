"""The refusal every oracle function may answer with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# raised while a model is wrapped, and no model is wrapped here: hybrid sharding, activation checkpointing on FSDP2
# without a wrap policy, and a size-based policy on FSDP2
ONLY_A_MODEL_SHOWS = (
    "hybrid-shard-without-wrap-policy",
    "checkpointing-without-wrap-policy-on-fsdp2",
    "size-wrap-on-fsdp2",
)

Stage = Literal["launcher", "plugin", "prepare", "deepspeed"]


@dataclass(frozen=True)
class Refused:
    """Upstream raised: before any process, in Accelerator(), in prepare(), or in DeepSpeedConfig."""

    stage: Stage
    error_type: str
    message: str

    @classmethod
    def because(cls, stage: Stage, error: BaseException) -> Refused:
        """The refusal that stands for a raised exception."""
        return cls(stage, type(error).__name__, str(error))
