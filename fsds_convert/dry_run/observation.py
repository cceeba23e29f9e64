"""What a training showed, from what its processes wrote."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# what the others say when one has gone
_CONSEQUENCES = re.compile(
    r"connection (reset|closed|refused)|broken pipe|timed out|gloo|nccl|peer|store|socket", re.IGNORECASE
)


@dataclass(frozen=True)
class Failure:
    """Why there is nothing to compare: the first rank that failed, in its own words, and how far it came."""

    message: str
    rank: int | None = None
    stage: str = ""
    log: str = ""
    timeout: bool = False


@dataclass(frozen=True)
class Observation:
    """A training that came to its end.

    `step_norms` are of the gradients that the innermost optimizer stepped with. `copies` is how often the trained
    elements lie on all ranks together: 1 is sharded, the number of ranks replicated. `elements` are those of the ranks
    of this machine.
    """

    stages: Mapping[str, str]
    buffers_loaded: str
    losses: tuple[float, ...]
    norms: tuple[float | None, ...]
    step_norms: tuple[float, ...]
    elements: tuple[int, ...]
    copies: float
    trainable: int
    total: int
    updated: int
    sampled: int
    skipped: int
    asked_steps: int
    accumulation: int
    processes: int
    seconds: float
    held: tuple[Mapping[str, int], ...]
    collectives: tuple[Mapping[str, Any], ...]
    checkpoint: Mapping[str, Any] | None = None

    @property
    def first_norm(self) -> float | None:
        """The norm of the first gradient before anybody clipped it; None where the engine clips and does not tell."""
        known = self.norms[0] if self.norms else None
        if known is None and self.stages.get("clipping", "none") not in ("none", "by the script"):
            return None
        return self.step_norms[0] if known is None else known

    @property
    def finite(self) -> bool:
        """Whether every loss and norm is a number."""
        return all(map(math.isfinite, (*self.losses, *self.step_norms)))


def read(folder: Path, codes: Mapping[int, int], timeout: bool, limit: float) -> Observation | Failure:
    """The ranks of a launch; `codes` are the exit statuses that are known."""
    ranks = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("rank*.json"), key=_number)]
    failed = [rank for rank in ranks if "error" in rank]
    if failed:
        return _first(failed, folder)
    silent = sorted(rank for rank, code in codes.items() if code != 0 and rank not in {each["rank"] for each in ranks})
    if timeout:
        last = _last_stage(folder)
        return Failure(f"no end after {limit:g} s (--timeout)", stage=last, log=tail(folder, 0), timeout=True)
    if silent:
        return Failure(_ended(codes[silent[0]]), silent[0], log=tail(folder, silent[0]))
    if not ranks:
        return Failure("no process wrote a result", log=tail(folder, 0))
    return observation_of(ranks)


def observation_of(ranks: list[dict[str, Any]]) -> Observation:
    """One observation of all ranks; rank 0 speaks where they are the same."""
    first = ranks[0]
    trainable = first["trainable"]
    elements = tuple(int(rank["steps"][0]["elements"]) if rank["steps"] else 0 for rank in ranks)
    sums = first["over_all_ranks"]
    copies = sums[0][1] / trainable if sums and trainable else 0.0
    stages = dict(first["stages"])
    if not stages.get("saved"):
        stages.pop("saved", None)
    return Observation(
        stages,
        first["buffers_loaded"],
        tuple(first["losses"][: first["asked_steps"]]),
        tuple(first["norms"]),
        tuple(math.sqrt(squares / max(1, round(copies))) for squares, _ in sums),
        elements,
        copies,
        trainable,
        first["total"],
        sum(rank["updated"] for rank in ranks),
        sum(rank["sampled"] for rank in ranks),
        max(rank["skipped"] for rank in ranks),
        first["asked_steps"],
        first["accumulation"],
        first["processes"],
        max(rank["seconds"] for rank in ranks),
        tuple(rank["held"] for rank in ranks),
        tuple(first["collectives"]),
        first.get("checkpoint"),
    )


def tail(folder: Path, rank: int, lines: int = 15) -> str:
    """The end of a log."""
    path = folder / f"rank{rank}.log"
    path = path if path.exists() else folder / "launch.log"
    try:
        return "\n".join(path.read_text("utf-8", "replace").splitlines()[-lines:])
    except OSError:
        return ""


def _first(failed: list[dict[str, Any]], folder: Path) -> Failure:
    """The first in time; an error that only says that another has gone comes last."""
    own = [rank for rank in failed if not _CONSEQUENCES.search(rank["error"]["message"])]
    rank = min(own or failed, key=lambda rank: float(rank["ended"]))
    error = rank["error"]
    return Failure(f"{error['type']}: {error['message']}", rank["rank"], error["stage"], tail(folder, rank["rank"]))


def _ended(code: int) -> str:
    if code >= 0:
        return f"the process ended with status {code}"
    import signal

    try:
        return f"the process was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"the process was ended by signal {-code}"


def _last_stage(folder: Path) -> str:
    """How far the training came, by the steps that rank 0 has printed."""
    steps = tail(folder, 0, 10_000).count("step ")
    return f"training, after step {steps}" if steps else ""


def _number(path: Path) -> int:
    return int(re.sub(r"\D", "", path.stem))
