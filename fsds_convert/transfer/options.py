"""What the user says about a conversion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

DeepspeedJson = Literal["auto", "always", "never"]
PrecisionMode = Literal["mixed-precision", "memory-constrained"]


@dataclass(frozen=True)
class Options:
    """`max_grad_norm`: the script's value, float("inf") for no clipping, None for unknown.

    `precision_mode`: the mode to go to, None for the one that the file runs in.
    """

    allow_lossy: bool = False
    as_executed: bool = False
    max_grad_norm: float | None = None
    gradient_accumulation_steps: int | None = None
    layer_classes: tuple[str, ...] | None = None
    deepspeed_json: DeepspeedJson = "auto"
    precision_mode: PrecisionMode | None = None
