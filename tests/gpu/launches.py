"""What the parts of the GPU run share: launches of other modules, a time limit, and results that are kept at once."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from fsds_convert.dry_run.launch import WORKER, Launch
from fsds_convert.dry_run.machine import this_machine
from fsds_convert.dry_run.topology import Machine

FUSED = "tests.gpu.fused_worker"
THROUGHPUT = "tests.gpu.throughput_worker"


@dataclass(frozen=True)
class ModuleLaunch(Launch):
    """A launch of another module than the worker of a dry run."""

    module: str = WORKER

    def argv(self, port: str = "0") -> list[str]:
        """What follows `accelerate launch`."""
        return [self.module if each == WORKER else each for each in super().argv(port)]


def of_module(launch: Launch, module: str) -> ModuleLaunch:
    """The same launch, of that module; on a CPU gloo comes last, since it starts what `no_shm_op` is to stop."""
    same = {each.name: getattr(launch, each.name) for each in fields(Launch)}
    patches = tuple(sorted(launch.job.patches, key="gloo".__eq__))
    return ModuleLaunch(**{**same, "job": replace(launch.job, patches=patches)}, module=module)


class Clock:
    """The seconds that are left to a part."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """None left is 0."""
        return max(0.0, self._end - time.monotonic())


class Results:
    """A JSON file that is complete after each `put`."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def put(self, part: str, name: str, value: Any) -> None:
        """Adds `value` under its part and name."""
        document = json.loads(self._path.read_text("utf-8")) if self._path.exists() else {}
        document.setdefault(part, {})[name] = value
        written = self._path.with_suffix(".part")
        written.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
        written.replace(self._path)


def machine_of(tiny: bool) -> Machine:
    """The GPU; with --tiny the CPU. Without a GPU nothing is measured: that ends the part."""
    if tiny:
        return Machine()
    machine, why = this_machine()
    if machine.device != "cuda" or why:
        raise SystemExit(why or "no GPU is seen here; --tiny tries the script on the CPU")
    return machine


def arguments_of(about: str | None) -> argparse.ArgumentParser:
    """What every part takes."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--results", default="gpu-results.json", help="the file that results are added to")
    parser.add_argument("--folder", required=True, help="where configs and logs go")
    parser.add_argument("--seconds", type=float, default=120.0, help="of the whole part")
    parser.add_argument("--tiny", action="store_true", help="on the CPU, in a size that shows only that it runs")
    return parser
