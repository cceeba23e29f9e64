"""The refusal every oracle function may answer with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# raised while a model is wrapped, or by the engine when it is built, and neither is done here: hybrid sharding and
# FSDP2's activation checkpointing without a wrap policy, a size-based policy on FSDP2, what schedules take, NVMe
ONLY_A_RUN_SHOWS = (
    *("hybrid-shard-without-wrap-policy", "checkpointing-without-wrap-policy-on-fsdp2", "size-wrap-on-fsdp2"),
    *("size-wrap-on-trainer-fsdp2", "trainer-checkpointing-without-wrap-policy"),
    *("scheduler-steps", "nvme-without-path"),
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
