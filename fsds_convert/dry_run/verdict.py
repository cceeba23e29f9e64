"""Predicted against observed, and one side against the other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fsds_convert.containers.reading import Reading
from fsds_convert.dry_run.observation import Observation
from fsds_convert.dry_run.table import StageRule, Tolerance
from fsds_convert.settings.setting import Decided

Status = Literal["same", "differs", "allowed", "not seen"]
_UNKNOWN = tuple(decided.value for decided in Decided if decided is not Decided.BY_SCRIPT)


@dataclass(frozen=True)
class Check:
    """One comparison: its two values as text, and why they are held to be the same or not."""

    name: str
    status: Status
    left: str
    right: str
    why: str = ""

    @property
    def passed(self) -> bool:
        """Whether it speaks against the pair."""
        return self.status != "differs"


@dataclass(frozen=True)
class Rules:
    """What a verdict is made by."""

    stages: Mapping[str, StageRule]
    tolerance: Tolerance


def predicted_checks(predicted: Mapping[str, str], seen: Observation, untested: Sequence[str] = ()) -> Iterator[Check]:
    """Every stage: what the tables say against what was seen."""
    for stage, value in predicted.items():
        observed = seen.stages.get(stage, "")
        if stage in untested:
            yield Check(stage, "not seen", value, observed, "not tested on this machine")
        elif not observed:
            yield Check(stage, "not seen", value, "", _UNSEEN.get(stage, "nothing of it was seen"))
        else:
            same = matches(value, observed, seen.buffers_loaded if stage == "buffers" else "")
            yield Check(stage, "same" if same else "differs", value, observed)


_UNSEEN = {
    "frozen": "no parameter is frozen; the scenario `frozen half` freezes some",
    "buffers": "the model has no floating-point buffer",
    "saved": "nothing was saved",
}


def matches(predicted: str, observed: str, loaded: str = "") -> bool:
    """`bf16 or fp32`, `bf16 and fp32`, `as loaded` and numbers are understood; what is not known matches everything."""
    if predicted in _UNKNOWN and predicted != "as loaded" and predicted != Decided.AS_LOADED.value:
        return True
    if predicted in ("as loaded", Decided.AS_LOADED.value):
        return not loaded or observed == loaded
    seen = set(observed.split(" and "))
    if " or " in predicted:
        return seen <= set(predicted.split(" or "))
    if _number(predicted) is not None or _number(observed) is not None:
        return _number(predicted) == _number(observed)
    return seen == set(predicted.split(" and "))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def side_checks(reading: Reading, seen: Observation, processes: int, fake: bool = False) -> Iterator[Check]:
    """One training by itself: sharded as the plan says, every step applied, every number finite."""
    yield _equal("processes", str(processes), str(seen.processes))
    yield _sharded(reading, seen, fake)
    taken = str(len(seen.step_norms))
    yield _equal("steps taken", str(seen.asked_steps), taken, f"{seen.skipped} skipped" if seen.skipped else "")
    yield Check("weights updated", "same" if seen.updated else "differs", "some", f"{seen.updated}/{seen.sampled}")
    yield Check("finite", "same" if seen.finite else "differs", "yes", "yes" if seen.finite else "no")
    if seen.checkpoint is not None:
        yield from _checkpoint_checks(seen.checkpoint)


def _sharded(reading: Reading, seen: Observation, fake: bool) -> Check:
    """Whether the trained elements lie where the plan puts them: on every rank, or in parts."""
    replicate = reading.runs.sharding.strategy.value == "replicate"
    whole = seen.processes if replicate else max(1, min(reading.runs.sharding.replicas.value, seen.processes))
    expected = f"{whole} {'copy' if whole == 1 else 'copies'} over all ranks"
    if not fake:
        held = f"{seen.copies:.2f} copies of {seen.trainable} elements"
        return Check("sharded", "same" if abs(seen.copies - whole) < 0.1 * whole + 0.1 else "differs", expected, held)
    share = seen.trainable * whole / seen.processes  # rank 0 speaks for all, and has the larger part of what is uneven
    fits = share * 0.9 <= seen.elements[0] <= share * 2 + 64
    return Check("sharded", "same" if fits else "differs", expected, f"{seen.elements[0]} elements on rank 0")


def _checkpoint_checks(found: Mapping[str, Any]) -> Iterator[Check]:
    replay = float(found["replay"])
    yield Check("load_state and on", "same" if replay == 0 else "differs", "0", f"{replay:.3g}", "difference of losses")
    merge = found.get("merge")
    if merge is None:
        yield Check("merge", "not seen", "", "", "the checkpoint is in one piece")
    elif "error" in merge:
        yield Check("merge", "differs", "", merge["error"])
    elif merge["difference"] is None:
        yield Check("merge", "same", "", f"{merge['elements']} elements", "no get_state_dict to hold it against")
    else:
        same = merge["difference"] == 0
        yield Check("merge", "same" if same else "differs", "0", f"{merge['difference']:.3g}", "against get_state_dict")


def _equal(name: str, left: str, right: str, why: str = "") -> Check:
    return Check(name, "same" if left == right else "differs", left, right, why)


def pair_checks(left: Observation, right: Observation, rules: Rules) -> Iterator[Check]:
    """Two trainings against each other: each stage, the first gradient norm, the losses."""
    for stage, rule in rules.stages.items():
        one, other = left.stages.get(stage, ""), right.stages.get(stage, "")
        if one == other and one:
            yield Check(stage, "same", one, other)
        elif not one or not other:
            yield Check(stage, "not seen", one, other)
        else:
            yield Check(stage, "differs" if rule.same else "allowed", one, other, rule.why)
    tolerance = rules.tolerance
    if left.step_norms and right.step_norms:
        one_norm, other_norm = left.first_norm, right.first_norm
        if one_norm is None or other_norm is None:  # ZeRO-0 in fp32
            yield Check("gradient norm", "not seen", "", "", "the engine clips, and does not tell the norm before that")
        else:
            yield _norm_check("gradient norm", one_norm, other_norm, tolerance, "before clipping, first step")
        yield _norm_check(
            "norm at the step", left.step_norms[0], right.step_norms[0], tolerance, "as the first optimizer step has it"
        )
    if left.losses and right.losses:
        yield loss_check(left.losses, right.losses, tolerance)


def _norm_check(name: str, left: float, right: float, tolerance: Tolerance, when: str) -> Check:
    off = relative(left, right)
    status: Status = "same" if off <= tolerance.norm else "differs"
    return Check(name, status, f"{left:.6f}", f"{right:.6f}", f"{off:.1e} apart, {tolerance.norm:g} allowed: {when}")


def loss_check(left: Sequence[float], right: Sequence[float], tolerance: Tolerance) -> Check:
    """The largest difference over the steps that the tolerance speaks of."""
    off = farthest(left, right, tolerance.steps)
    ends = f"{left[0]:.4f} to {left[-1]:.4f}", f"{right[0]:.4f} to {right[-1]:.4f}"
    if tolerance.loss is None:
        return Check("loss", "allowed", *ends, f"{off:.1e} apart, not comparable: {tolerance.why}")
    status: Status = "same" if off <= tolerance.loss else "differs"
    return Check("loss", status, *ends, f"{off:.1e} apart, {tolerance.loss:g} allowed: {tolerance.why}")


def farthest(left: Sequence[float], right: Sequence[float], steps: int) -> float:
    """The largest difference; infinite for a number that is none."""
    pairs = list(zip(left[:steps], right[:steps], strict=False))
    distances = [abs(one - other) for one, other in pairs]
    return max((math.inf if math.isnan(distance) else distance for distance in distances), default=math.inf)


def relative(left: float, right: float) -> float:
    """Difference by size; infinite for a number that is none."""
    if not (math.isfinite(left) and math.isfinite(right)):
        return math.inf
    largest = max(abs(left), abs(right))
    return abs(left - right) / largest if largest else 0.0


def tolerance_facts(left: Reading, right: Reading, one: Observation, other: Observation) -> dict[str, Any]:
    """What the table of tolerances asks."""
    zero0 = any(
        reading.engine == "deepspeed"
        and reading.runs.sharding.strategy.value == "replicate"
        and seen.stages.get("compute") != "fp32"
        for reading, seen in ((left, one), (right, other))
    )
    autocast = any(
        reading.engine == "ddp" and seen.stages.get("compute") != "fp32"
        for reading, seen in ((left, one), (right, other))
    )
    engines = {left.engine, right.engine}
    return {
        "zero0_16bit": zero0 and len(engines) > 1,
        "replicated_by_autocast": autocast and len(engines) > 1,
        "compute": _common(one, other, "compute"),
        "master": _common(one, other, "master_weights"),
        "loaded": _common(one, other, "loaded"),
    }


def _common(one: Observation, other: Observation, stage: str) -> str:
    left, right = one.stages.get(stage, ""), other.stages.get(stage, "")
    return left if left == right else ""
