"""The refusal every oracle function may answer with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
