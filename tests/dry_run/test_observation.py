"""What the processes wrote, and which of them failed first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fsds_convert.dry_run.observation import Failure, Observation, read

RANK: dict[str, Any] = {
    "stages": {"compute": "bf16", "saved": ""},
    "buffers_loaded": "fp32",
    "losses": [4.9, 4.8, 4.7],
    "norms": [None, None],
    "steps": [{"squares": 1.0, "elements": 50}, {"squares": 1.0, "elements": 50}],
    "over_all_ranks": [[2.0, 200.0], [8.0, 200.0]],
    "asked_steps": 2,
    "skipped": 0,
    "trainable": 100,
    "total": 100,
    "updated": 10,
    "sampled": 50,
    "accumulation": 1,
    "processes": 2,
    "seconds": 1.0,
    "held": {"parameters": 200},
    "collectives": [],
}


def write(folder: Path, rank: int, ended: float, error: str = "", stage: str = "training") -> None:
    document = {"rank": rank, "ended": ended, **RANK}
    if error:
        kind, _, message = error.partition(": ")
        document = {"rank": rank, "ended": ended, "error": {"type": kind, "message": message, "stage": stage}}
    (folder / f"rank{rank}.json").write_text(json.dumps(document), "utf-8")


def test_ranks_make_one_observation(tmp_path: Path) -> None:
    write(tmp_path, 0, 1.0)
    write(tmp_path, 1, 2.0)
    seen = read(tmp_path, {0: 0, 1: 0}, False, 60.0)
    assert isinstance(seen, Observation)
    assert (seen.losses, seen.step_norms, seen.copies) == ((4.9, 4.8), (1.0, 2.0), 2.0)
    assert (seen.first_norm, seen.updated, "saved" in seen.stages) == (1.0, 20, False)


@pytest.mark.parametrize(
    ("errors", "rank", "message"),
    [
        ({0: (2.0, "ValueError: no"), 1: (1.0, "KeyError: 'FOO'")}, 1, "KeyError: 'FOO'"),
        ({0: (1.0, "RuntimeError: Connection reset by peer"), 1: (2.0, "ValueError: no")}, 1, "ValueError: no"),
        ({0: (1.0, "RuntimeError: Connection closed by peer")}, 0, "RuntimeError: Connection closed by peer"),
    ],
)
def test_the_first_rank_that_failed_speaks(
    errors: dict[int, tuple[float, str]], rank: int, message: str, tmp_path: Path
) -> None:
    for number, (ended, error) in errors.items():
        write(tmp_path, number, ended, error)
    failure = read(tmp_path, {}, False, 60.0)
    assert isinstance(failure, Failure)
    assert (failure.rank, failure.message, failure.stage) == (rank, message, "training")


def test_a_rank_that_was_killed_said_nothing(tmp_path: Path) -> None:
    write(tmp_path, 0, 1.0)
    (tmp_path / "rank1.log").write_text("step 1\nFatal Python error: Segmentation fault\n", "utf-8")
    failure = read(tmp_path, {0: 0, 1: -11}, False, 60.0)
    assert failure == Failure(
        "the process was ended by SIGSEGV", 1, log="step 1\nFatal Python error: Segmentation fault"
    )


def test_a_time_limit_says_how_far_it_came(tmp_path: Path) -> None:
    (tmp_path / "rank0.log").write_text("step 1 loss 4.9\nstep 2 loss 4.8\n", "utf-8")
    failure = read(tmp_path, {0: -15, 1: -15}, True, 3.0)
    assert isinstance(failure, Failure)
    assert (failure.message, failure.stage) == ("no end after 3 s (--timeout)", "training, after step 2")
