"""Times fsds and its peers in one go: `make bench`, or `python tests/benchmarks/run.py --json`.

Runs alternate between the two sides of a row, so that a busy moment of the machine falls on both.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "examples" / "fsdp1.yaml"
SCHEMA = ROOT / "schemas" / "editor" / "accelerate.schema.json"
COMMANDS = Path(sys.executable).parent
FILES = 1000


@dataclass(frozen=True)
class Case:
    """One command of fsds beside what people would run without it."""

    name: str
    command: tuple[str, ...]
    peer: tuple[str, ...]
    budget_ms: float
    budget_mb: float = 60


@dataclass(frozen=True)
class Run:
    """One run: wall time, and the largest resident memory."""

    ms: float
    mb: float


@dataclass(frozen=True)
class Result:
    name: str
    peer: str
    fsds_ms: float
    peer_ms: float
    ratio: float
    budget_ms: float
    fsds_mb: float
    peer_mb: float
    budget_mb: float
    runs: int


def cases(folder: Path, fsds: str) -> list[Case]:
    """`folder` takes the copies that the commands read and write."""
    source = folder / "fsdp1.yaml"
    shutil.copy(EXAMPLE, source)
    accelerate = str(COMMANDS / "accelerate")
    to_fsdp2 = (accelerate, "to-fsdp2", "--config_file", str(source), "--output_file", str(folder / "out.yaml"))
    many = clean_files(folder / "many")
    one = str(many / "run0000.yaml")
    yamllint = (str(COMMANDS / "yamllint"), "-d", "relaxed")
    checker = (str(COMMANDS / "check-jsonschema"), "--schemafile", str(SCHEMA))
    return [
        Case("fsds --version", (fsds, "--version"), (sys.executable, "-c", "pass"), 20),
        Case("fsds convert", (fsds, "convert", str(source), "--to", "fsdp2"), (*to_fsdp2, "--overwrite"), 250),
        Case("fsds convert", (fsds, "convert", str(source), "--to", "deepspeed"), (*to_fsdp2, "--overwrite"), 250),
        Case("fsds lint, 1 file", (fsds, "lint", one), (*yamllint, one), 200),
        Case("fsds lint, 1 file", (fsds, "lint", one), (*checker, one), 200),
        Case(f"fsds lint, {FILES} files", (fsds, "lint", str(many)), (*yamllint, str(many)), 600),
        Case(
            f"fsds lint, {FILES} files",
            (fsds, "lint", str(many)),
            (*checker, *map(str, sorted(many.iterdir()))),
            600,
        ),
    ]


def clean_files(folder: Path) -> Path:
    """A folder of configs without a fault, each another one."""
    folder.mkdir()
    text = EXAMPLE.read_text(encoding="utf-8")
    for number in range(FILES):
        processes, port = 8 * (1 + number % 16), 29500 + number
        changed = text.replace("num_processes: 8", f"num_processes: {processes}\nmain_process_port: {port}")
        (folder / f"run{number:04}.yaml").write_text(f"# run {number}\n{changed}", encoding="utf-8")
    return folder


def run_once(command: Sequence[str]) -> Run:
    """One run of a command; raises CalledProcessError when it fails."""
    start = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    return Run((time.perf_counter() - start) * 1000, usage.ru_maxrss / 1024)


def measure(case: Case, runs: int) -> Result:
    """Medians after one warm-up of each side."""
    for command in (case.command, case.peer):
        run_once(command)
    pairs = [(run_once(case.command), run_once(case.peer)) for _ in range(runs)]
    (ours, our_mb), (theirs, their_mb) = (
        (statistics.median(run.ms for run in side), max(run.mb for run in side)) for side in zip(*pairs, strict=True)
    )
    peer = " ".join(Path(word).name for word in case.peer[:4])
    return Result(
        *(case.name, peer, round(ours, 1), round(theirs, 1), round(theirs / ours, 2), case.budget_ms),
        *(round(our_mb, 1), round(their_mb, 1), case.budget_mb, runs),
    )


def as_text(results: Sequence[Result]) -> str:
    lines = [f"{'fsds':>8} {'peer':>8} {'peer/fsds':>9} {'budget':>8} {'MB':>6} {'peer':>6}  command | peer   (ms)"]
    lines += [
        f"{r.fsds_ms:8.1f} {r.peer_ms:8.1f} {r.ratio:9.2f} {r.budget_ms:8.0f} {r.fsds_mb:6.1f} {r.peer_mb:6.1f}  "
        f"{r.name} | {r.peer}"
        for r in results
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
