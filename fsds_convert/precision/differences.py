"""Two runs side by side, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass

from fsds_convert.engines.stages import stages
from fsds_convert.precision.rows import PrecisionRow


@dataclass(frozen=True)
class Difference:
    """One stage of two runs; `effect` is what it does to training, empty where both have the same."""

    stage: str
    left: PrecisionRow
    right: PrecisionRow
    effect: str

    @property
    def differs(self) -> bool:
        """Whether the two runs have another dtype here."""
        return self.left.value != self.right.value


def differences(left: tuple[PrecisionRow, ...], right: tuple[PrecisionRow, ...]) -> tuple[Difference, ...]:
    """Every stage, with what a difference in it does to training."""
    return tuple(
        Difference(one.stage, one, other, stages()[one.stage].differs if one.value != other.value else "")
        for one, other in zip(left, right, strict=True)
    )
