"""From the options of `fsds dry-run` to its report."""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

from fsds_convert.cli import options as shared
from fsds_convert.cli.streams import say, show
from fsds_convert.dry_run import machine as here
from fsds_convert.dry_run.observation import Failure, Observation
from fsds_convert.dry_run.result import Report, Result
from fsds_convert.dry_run.session import IMPORTS, Session
from fsds_convert.dry_run.side import Script, Side, run_of, script_of
from fsds_convert.dry_run.sides import ConfigFile, Refused, config_file, config_files
from fsds_convert.dry_run.table import Scenario, impossible, scenarios
from fsds_convert.dry_run.topology import Machine, Nodes, topology_of
from fsds_convert.dry_run.train import train
from fsds_convert.errors import ExitCode, FsdsError
from fsds_convert.settings.context import Context, ModelDtype
from fsds_convert.transfer.options import Options

_ROOM = 256 * 2**20
_PACKAGES = "pip install torch accelerate transformers deepspeed"


class Unrunnable(FsdsError):
    """It could not be run here: exit 4."""


@dataclass(frozen=True)
class Asked:
    """What the options say."""

    file: str
    against: str | None
    to: str | None
    allow_lossy: bool
    steps: int
    sequences: int
    every_scenario: bool
    model: str | None
    model_dtype: str | None
    learning_rate: float | None
    num_processes: int | None
    world: int | None
    timeout: float
    log_dir: str | None
    plot: str | None
    print_command: bool
    mixed_precision: str | None
    max_grad_norm: float | None
    accumulation: int | None
    nodes: tuple[int | None, int | None, str | None, int | None]
    stdin_filename: str | None


def run(asked: Asked, as_json: bool) -> int:
    """Trains and prints; raises Unrunnable where this machine cannot."""
    if asked.model is not None and not Path(asked.model).exists():
        raise FsdsError(f"--model {asked.model}: no such file or folder", "nothing is downloaded: give a local one")
    if asked.print_command and asked.log_dir is None and asked.to is not None:
        raise FsdsError("--print-command with --to needs --log-dir", "the commands name the converted file, kept there")
    with _folder(asked) as folder, _terminated():
        context = _context(asked)
        first = config_file(asked.file, asked.stdin_filename, context, folder)
        context = replace(context, model_dtype=_dtype(asked, first))
        try:
            files = _files(asked, context, folder, first)
        except Refused as error:
            say(f"the conversion to {asked.to} refuses:\n{error}\n  --allow-lossy trains the nearest thing")
            return ExitCode.FINDINGS
        machine, nodes = _machine(asked, files, folder)
        script, said = _script(asked, files, context)
        sides = tuple(
            Side(
                each.label,
                each.reading,
                each.path,
                topology_of(each.reading, machine, asked.num_processes, nodes, asked.world),
            )
            for each in files
        )
        if asked.print_command:
            show("\n".join(_commands(sides, script, machine, folder, asked)))
            return ExitCode.OK
        results = _train(asked, sides, script, machine, context, folder, nodes)
        report = Report(machine, script, said, results, asked.world)
        _print(report, as_json)
        if asked.plot is not None:
            _plot(asked.plot, report.results[0])
        if asked.log_dir is not None:
            say(f"logs are in {folder}")
        return ExitCode.OK if report.passed else ExitCode.FINDINGS


def _dtype(asked: Asked, first: ConfigFile) -> ModelDtype:
    """As a checkpoint of today is: in bf16, where the file computes in bf16."""
    if asked.model_dtype in ("fp32", "bf16", "fp16"):
        return asked.model_dtype  # type: ignore[return-value]
    return "bf16" if first.reading.runs.precision.compute.value == "bf16" else "fp32"


def _files(asked: Asked, context: Context, folder: Path, first: ConfigFile) -> tuple[ConfigFile, ...]:
    """The configs as they are read for that model."""
    file = first.path if asked.file == "-" else asked.file
    files = config_files(file, asked.against, asked.to, asked.stdin_filename, context, _options(asked), folder)
    return (replace(files[0], label=first.label), *files[1:])


def _train(
    asked: Asked,
    sides: tuple[Side, ...],
    script: Script,
    machine: Machine,
    context: Context,
    folder: Path,
    nodes: Nodes | None,
) -> tuple[Result, ...]:
    chosen = _scenarios(script, sides) if asked.every_scenario else scenarios()[:1]
    deepspeed = any(side.reading.engine == "deepspeed" for side in sides)
    fork = machine.device == "cpu" and nodes is None
    results = []
    with Session(fork, deepspeed, asked.timeout, _progress, folder) as session:
        for scenario in chosen:
            results.append(train(session, sides, scenario, script, machine, context, folder, asked.world))
            for training in results[-1].trainings:
                if isinstance(training.seen, Failure) and training.seen.stage == IMPORTS:
                    raise Unrunnable(f"torch and accelerate cannot be imported: {training.seen.message}", _PACKAGES)
    _progress("")
    return tuple(results)


def _scenarios(script: Script, sides: tuple[Side, ...]) -> tuple[Scenario, ...]:
    """All but the one that is the config as it is."""
    written = {side.reading.runs.accumulation.steps.value for side in sides}
    steps = {value if isinstance(value, int) else script.accumulation for value in written}
    return tuple(each for each in scenarios() if {each.job.get("accumulation")} != steps)


def _commands(sides: tuple[Side, ...], script: Script, machine: Machine, folder: Path, asked: Asked) -> Iterator[str]:
    for number, side in enumerate(sides):
        launch = run_of(side, script, scenarios()[0], machine.device, folder, f"as-written-{number + 1}", None).launch
        machines, rank, ip, _ = asked.nodes
        if machines is None or rank is not None:
            yield launch.command()
            continue
        for node in range(machines):
            yield f"# machine {node}"
            yield replace(launch, flags={**launch.flags, "machine_rank": str(node)}).command()
        del ip


def _context(asked: Asked) -> Context:
    releases = (None, None, None, None)
    dtype = shared.Dtype(asked.model_dtype) if asked.model_dtype else None
    mixed = shared.MixedPrecision(asked.mixed_precision) if asked.mixed_precision else None
    launch = (asked.num_processes, asked.nodes[0], None, None, None)
    return shared.context_of(shared.For.ACCELERATE, releases, dtype, mixed, None, launch)


def _options(asked: Asked) -> Options:
    return Options(
        allow_lossy=asked.allow_lossy,
        max_grad_norm=asked.max_grad_norm,
        gradient_accumulation_steps=asked.accumulation,
    )


def _script(asked: Asked, files: tuple[ConfigFile, ...], context: Context) -> tuple[Script, tuple[str, ...]]:
    script = Script(
        asked.steps, asked.sequences, asked.model, context.model_dtype or "fp32", mixed_precision=asked.mixed_precision
    )
    readings = tuple(each.reading for each in files)
    script, said = script_of(readings, script, asked.max_grad_norm, asked.accumulation)
    if asked.learning_rate is not None:
        script = replace(script, optimizer=replace(script.optimizer, lr=asked.learning_rate))
    return script, said


def _machine(asked: Asked, files: tuple[ConfigFile, ...], folder: Path) -> tuple[Machine, Nodes | None]:
    readings = tuple(each.reading for each in files)
    missing = here.missing_packages(any(reading.engine == "deepspeed" for reading in readings))
    if missing and not asked.print_command:
        names = " and ".join([", ".join(missing[:-1]), missing[-1]] if missing[1:] else missing)
        raise Unrunnable(
            f"{names} {'is' if len(missing) == 1 else 'are'} not installed", f"pip install {' '.join(missing)}"
        )
    machine, full = (Machine(), "") if asked.world else here.this_machine()
    for reading in readings:
        for why in impossible(reading, machine.device):
            raise Unrunnable(f"{reading.source.name}: {why}")
    room = here.lack_of_room(folder, _ROOM)
    if full or room:
        raise Unrunnable(full or room)
    try:
        return machine, here.nodes_of(*asked.nodes)
    except ValueError as error:
        if asked.print_command and asked.nodes[2] is not None and asked.nodes[0] is not None:
            return machine, Nodes(asked.nodes[0], 0, asked.nodes[2], asked.nodes[3] or 29500)
        raise FsdsError(str(error)) from error


@contextmanager
def _folder(asked: Asked) -> Iterator[Path]:
    """Where logs and converted files go: kept only where they were asked for."""
    if asked.log_dir is not None:
        folder = Path(asked.log_dir).resolve()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FsdsError(f"{folder}: cannot be made: {error.strerror or error}") from error
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="fsds-dry-run-", ignore_cleanup_errors=True) as name:
        yield Path(name)


@contextmanager
def _terminated() -> Iterator[None]:
    """SIGTERM ends the processes that train as Ctrl-C does."""

    def interrupt(_: int, __: FrameType | None) -> Any:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _progress(text: str) -> None:
    """One line of a terminal, written over again and again."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _print(report: Report, as_json: bool) -> None:
    from fsds_convert.report.dry_run import dry_run_json, dry_run_lines
    from fsds_convert.report.json_text import json_text

    show(json_text(dry_run_json(report)) if as_json else "\n".join(dry_run_lines(report)))


def _plot(path: str, result: Result) -> None:
    from fsds_convert.report.loss_curves import loss_curves

    curves = [
        (training.side.label, training.seen.losses)
        for training in result.trainings
        if isinstance(training.seen, Observation)
    ]
    try:
        Path(path).write_text(loss_curves("loss", curves), "utf-8")
    except OSError as error:
        raise FsdsError(f"{path}: cannot be written: {error.strerror or error}") from error
