"""One cell of the matrix: a config and its conversion, trained in a session that has paid its imports."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fsds_convert.cli import options as shared
from fsds_convert.dry_run.machine import this_machine
from fsds_convert.dry_run.observation import Failure, Observation
from fsds_convert.dry_run.result import Result, Training
from fsds_convert.dry_run.session import Session
from fsds_convert.dry_run.side import Script, Side, script_of
from fsds_convert.dry_run.sides import ConfigFile, Refused, config_file, converted
from fsds_convert.dry_run.table import impossible, scenarios
from fsds_convert.dry_run.topology import topology_of
from fsds_convert.dry_run.train import train
from fsds_convert.errors import FsdsError, InputError
from fsds_convert.precision.memory import memory_of
from fsds_convert.precision.parameters import ModelSize
from fsds_convert.settings.context import Context
from fsds_convert.transfer.options import Options

PACKAGES = ("accelerate", "deepspeed", "transformers", "torch")


@dataclass(frozen=True)
class Cell:
    """What is trained: a file by its text, what it is converted to, and how the script loads the model.

    Without `model_dtype` as `fsds dry-run` has it, without `processes` 2, or 4 for a hybrid one.
    """

    name: str
    file: str
    text: str
    target: str
    model_dtype: str | None
    processes: int | None
    scenario: str = "as written"
    allow_lossy: bool = False


@dataclass(frozen=True)
class Outcome:
    """passed, failed, refused (by the conversion; the config alone trained as predicted), cannot (run here), no launch.

    `foretold` is a pair that is not the same training, of which `fsds precision` and the conversion's report say so.
    `rows` counts predicted rows by status; `memory` holds, for each side, kind -> [predicted, counted] bytes of a rank.
    """

    name: str
    status: str
    seconds: float
    why: str = ""
    rows: dict[str, int] = field(default_factory=dict)
    loss: str = ""
    changed: list[str] = field(default_factory=list)
    memory: list[dict[str, Any]] = field(default_factory=list)


class Runner:
    """Runs cells one after the other."""

    def __init__(self, session: Session, folder: Path, steps: int) -> None:
        self._session, self._folder, self._steps = session, folder, steps

    def run(self, cell: Cell) -> Outcome:
        """One cell; what goes wrong is in its outcome."""
        began = time.monotonic()
        try:
            outcome = self._run(cell)
        except InputError as error:
            outcome = Outcome(cell.name, "no launch", 0.0, _line(error.message))
        except FsdsError as error:
            outcome = Outcome(cell.name, "failed", 0.0, f"{type(error).__name__}: {_line(error.message)}")
        return replace(outcome, seconds=round(time.monotonic() - began, 1))

    def _run(self, cell: Cell) -> Outcome:
        path = self._folder / cell.file
        path.write_text(cell.text, "utf-8")
        context = _context(cell)
        first = config_file(str(path), None, context, self._folder)
        if context.model_dtype is None:
            in_bf16 = first.reading.runs.precision.compute.value == "bf16"
            context = replace(context, model_dtype="bf16" if in_bf16 else "fp32")
            first = config_file(str(path), None, context, self._folder)
        refused = ""
        files: tuple[ConfigFile, ...] = (first,)
        try:
            options = Options(allow_lossy=cell.allow_lossy)
            files = (first, converted(first, cell.target, context, options, self._folder))
        except Refused as error:
            refused = _line(str(error))
        machine = this_machine()[0]
        for each in files:
            for why in impossible(each.reading, machine.device):
                return Outcome(cell.name, "cannot", 0.0, why)
        result = self._train(files, cell, context)
        return _outcome(cell, result, refused, context)

    def _train(self, files: tuple[ConfigFile, ...], cell: Cell, context: Context) -> Result:
        machine = this_machine()[0]
        script = Script(self._steps, model_dtype=context.model_dtype or "fp32")
        script, _ = script_of(tuple(each.reading for each in files), script, None, None)
        sides = tuple(
            Side(
                each.label, each.reading, each.path, topology_of(each.reading, machine, cell.processes or _enough(each))
            )
            for each in files
        )
        scenario = next(each for each in scenarios() if each.name == cell.scenario)
        return train(self._session, sides, scenario, script, machine, context, self._folder)


@contextmanager
def runner(steps: int = 20, timeout: float = 300.0) -> Iterator[Runner]:
    """A session for all cells."""
    with TemporaryDirectory(prefix="fsds-matrix-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with Session(this_machine()[0].device == "cpu", True, timeout, lambda _: None, folder) as session:
            yield Runner(session, folder, steps)


def _enough(file: ConfigFile) -> int:
    """To see how it is sharded and reduced."""
    return 4 if file.reading.runs.sharding.replicas.value > 1 else 2


def _context(cell: Cell) -> Context:
    launch = (cell.processes, None, None, None, None)
    dtype = shared.Dtype(cell.model_dtype) if cell.model_dtype else None
    return shared.context_of(shared.For.ACCELERATE, (None, None, None, None), dtype, None, None, launch)


def _outcome(cell: Cell, result: Result, refused: str, context: Context) -> Outcome:
    rows = dict.fromkeys(("same", "differs", "not seen"), 0)
    wrong = []
    for number, training in enumerate(result.trainings):
        label = "" if number == 0 else "converted: "
        if isinstance(training.seen, Failure):
            wrong.append(f"{label}{training.seen.stage}: {_line(training.seen.message)}")
        for check in training.predicted:
            rows[check.status] += 1
        checks = (*training.predicted, *training.alone)
        wrong += [f"{label}{each.name}: {each.left} | {each.right}" for each in checks if not each.passed]
    wrong += [
        f"pair, {check.name}: {check.left} | {check.right} ({check.why})" for check in result.pair if not check.passed
    ]
    loss = next((check.why.split(":")[0] for check in result.pair if check.name == "loss"), "")
    if not result.trainings[0].side.reading.launches and isinstance(result.trainings[0].seen, Failure):
        return Outcome(cell.name, "no launch", 0.0, "; ".join(wrong), rows)
    status = "foretold" if _foretold(result) else "failed" if wrong else "refused" if refused else "passed"
    changed = [override.what for each in result.trainings for override in each.run.overrides if not override.quiet]
    memory = [
        _memory(each, context) for each in result.trainings if isinstance(each.seen, Observation) and cell.processes
    ]
    return Outcome(
        cell.name, status, 0.0, "; ".join([*wrong, refused] if refused else wrong), rows, loss, changed, memory
    )


def _foretold(result: Result) -> bool:
    """Both ran as predicted, and every stage in which they differ was predicted to."""
    if result.passed or not result.pair or not all(training.passed for training in result.trainings):
        return False
    one, other = ({check.name: check.left for check in training.predicted} for training in result.trainings)
    stages = [check.name for check in result.pair if not check.passed and check.name in one]
    return bool(stages) and all(one[name] != other[name] for name in stages)


def _memory(training: Training, context: Context) -> dict[str, Any]:
    """Predicted and counted bytes; the mean of the ranks."""
    seen = training.seen
    assert isinstance(seen, Observation)
    steps = training.run.launch.job.accumulation or seen.accumulation
    found = memory_of(training.side.reading, context, ModelSize(seen.total, None, 64), steps)
    counted = {name: sum(each.get(name, 0) for each in seen.held) // len(seen.held) for name in seen.held[0]}
    places = ("device", "host", "nvme")
    predicted = {kind: sum(found.size(at, kind) for at in places) for kind in ("parameters", "optimizer", "gradients")}
    optimizer = counted["master_weights"] + counted["optimizer_states"]
    return {
        "side": training.side.reading.dialect,
        "parameters": [predicted["parameters"], counted["parameters"]],
        "optimizer": [predicted["optimizer"], optimizer],
        "gradients": [predicted["gradients"], counted.get("gradients", 0)],
    }


def _line(text: str) -> str:
    """One line, without the folders of this machine."""
    return re.sub(r"/(?:tmp|work|root|home)/(?:[^\s/`'\"]*/)*", "", " ".join(text.split()))


def versions() -> dict[str, str]:
    """Of what was run."""
    return {"python": ".".join(map(str, sys.version_info[:3])), **{name: version(name) for name in PACKAGES}}


def load(path: Path) -> dict[str, Any]:
    """Kept outcomes by name."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def store(path: Path, outcomes: dict[str, Any]) -> None:
    """A line a cell, so that a difference can be read."""
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(outcome)}" for name, outcome in outcomes.items())
    path.write_text(f"{{\n{lines}\n}}\n", "utf-8")


def run_all(cells: list[Cell], path: Path, known: dict[str, Any], until: float | None, steps: int) -> dict[str, Any]:
    """Runs what is not known yet, keeps each result at once, and prints a line for it; `until` is a time of day."""
    known = dict(known)
    with runner(steps) as runs:
        for cell in cells:
            if cell.name in known:
                continue
            if until is not None and time.time() > until:
                break
            outcome = runs.run(cell)
            known[cell.name] = {name: value for name, value in asdict(outcome).items() if name != "name"}
            store(path, known)
            print(
                f"{outcome.seconds:5.1f} s  {outcome.status:8} {cell.name}  {outcome.loss} {outcome.why[:200]}",
                flush=True,
            )
    return known
