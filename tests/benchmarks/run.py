"""Times fsds and its peers in one go: `make bench`, or `python tests/benchmarks/run.py --json`.

Runs alternate between the two sides of a row, so that a busy moment of the machine falls on both.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "fsdp1.yaml"
COMMANDS = Path(sys.executable).parent


@dataclass(frozen=True)
class Case:
    """One command of fsds beside what people would run without it."""

    name: str
    command: tuple[str, ...]
    peer: tuple[str, ...]
    budget_ms: float


@dataclass(frozen=True)
class Result:
    name: str
    peer: str
    fsds_ms: float
    peer_ms: float
    ratio: float
    budget_ms: float
    runs: int


def cases(folder: Path, fsds: str) -> list[Case]:
    """`folder` takes the copies that the commands read and write."""
    source = folder / "fsdp1.yaml"
    shutil.copy(EXAMPLE, source)
    accelerate = str(COMMANDS / "accelerate")
    to_fsdp2 = (accelerate, "to-fsdp2", "--config_file", str(source), "--output_file", str(folder / "out.yaml"))
    return [
        Case("fsds --version", (fsds, "--version"), (sys.executable, "-c", "pass"), 20),
        Case("fsds convert", (fsds, "convert", str(source), "--to", "fsdp2"), (*to_fsdp2, "--overwrite"), 250),
        Case("fsds convert", (fsds, "convert", str(source), "--to", "deepspeed"), (*to_fsdp2, "--overwrite"), 250),
    ]


def milliseconds(command: Sequence[str]) -> float:
    """Wall time of one run; raises CalledProcessError when it fails."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1000


def measure(case: Case, runs: int) -> Result:
    """Medians after one warm-up of each side."""
    for command in (case.command, case.peer):
        milliseconds(command)
    pairs = [(milliseconds(case.command), milliseconds(case.peer)) for _ in range(runs)]
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    name, peer = (" ".join(Path(word).name for word in words) for words in (case.command, case.peer))
    return Result(name, peer, round(ours, 1), round(theirs, 1), round(theirs / ours, 2), case.budget_ms, runs)


def as_text(results: Sequence[Result]) -> str:
    lines = [f"{'fsds':>8} {'peer':>8} {'peer/fsds':>9} {'budget':>8}  command | peer   (medians, ms)"]
    lines += [
        f"{r.fsds_ms:8.1f} {r.peer_ms:8.1f} {r.ratio:9.2f} {r.budget_ms:8.0f}  {r.name} | {r.peer}" for r in results
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="measured runs of each command (default 7)")
    parser.add_argument("--fsds", default=str(COMMANDS / "fsds"), help="the fsds to time: one from a wheel is faster")
    parser.add_argument("--json", action="store_true", help="one JSON list instead of the table")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = [measure(case, options.runs) for case in cases(Path(folder), options.fsds)]
    print(json.dumps([asdict(result) for result in results], indent=2) if options.json else as_text(results))


if __name__ == "__main__":
    main()
