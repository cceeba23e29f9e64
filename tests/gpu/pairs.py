"""The pair matrix on one GPU: each config against its conversions, and DeepSpeed's fused Adam against torch's AdamW.

`python -m tests.gpu.pairs --folder FOLDER [--precision bf16|fp16 | --fused] [--tiny]`
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fsds_convert.dry_run.launch import WORKER, Launch
from fsds_convert.dry_run.observation import Failure, Observation
from fsds_convert.dry_run.result import Report
from fsds_convert.dry_run.session import Session
from fsds_convert.dry_run.side import Script, Side, script_of
from fsds_convert.dry_run.sides import ConfigFile, Refused, config_file, config_files
from fsds_convert.dry_run.table import scenarios
from fsds_convert.dry_run.topology import Machine, topology_of
from fsds_convert.dry_run.train import train
from fsds_convert.report.dry_run import dry_run_json, dry_run_lines
from fsds_convert.settings.context import Context
from fsds_convert.transfer.options import Options
from tests.dry_run.configs import config, write
from tests.gpu.launches import FUSED, Clock, Results, arguments_of, machine_of, of_module

_TRAINING_SECONDS = 90.0
_AT_ONCE = 6  # tiny models on 16 cores; the seconds go into imports
_FUSED_LABEL = "fused Adam"


@dataclass(frozen=True)
class Pair:
    """A config, and what it is held against: its conversion, or itself with the fused Adam."""

    name: str
    data: dict[str, Any]
    target: str | None


def pairs(precision: str, fused: bool, tiny: bool) -> Iterator[Pair]:
    """FSDP1, FSDP2, ZeRO-1, 2 and 3, each with every conversion; or the stages of ZeRO alone."""
    top = {"mixed_precision": precision, "num_processes": 1}
    targets = {"fsdp1": ("fsdp2", "deepspeed"), "fsdp2": ("fsdp1", "deepspeed")}
    sources = {} if fused else {name: config(name, top) for name in targets}
    for stage in (3,) if tiny and fused else (1, 2, 3):
        inside = {"zero_stage": stage, "zero3_init_flag": stage == 3, "zero3_save_16bit_model": stage == 3}
        sources[f"zero{stage}"] = config("deepspeed", top, inside)
    for name, data in sources.items():
        to: tuple[str | None, ...] = (None,) if fused else targets.get(name, ("fsdp1", "fsdp2"))
        for target in to[:1] if tiny else to:
            yield Pair(f"{name} to {target or _FUSED_LABEL} {precision}", data, target)


class _Session(Session):
    """Launches the side with the fused Adam as a module of its own."""

    def run(self, launch: Launch, world: int | None = None) -> Observation | Failure:
        return super().run(of_module(launch, FUSED if launch.job.name == _FUSED_LABEL else WORKER), world)


def run_pair(pair: Pair, number: int, machine: Machine, folder: Path, clock: Clock, tiny: bool) -> dict[str, Any]:
    """One dry run; its report as `fsds dry-run --output-format json` prints it, with its lines."""
    if clock.left < 10:
        return {"verdict": "not run", "why": "no time was left"}
    folder.mkdir(parents=True, exist_ok=True)
    context = Context(model_dtype="bf16" if pair.data["mixed_precision"] == "bf16" else "fp32")
    try:
        files = _files(pair, folder, context)
    except Refused as refused:
        return {"verdict": "refused", "why": str(refused)}
    asked = Script(steps=5 if tiny else 20, model_dtype=context.model_dtype or "fp32")
    script, said = script_of(tuple(each.reading for each in files), asked, None, None)
    sides = tuple(_side(each, machine, 29600 + 2 * number + index) for index, each in enumerate(files))
    seconds = min(_TRAINING_SECONDS, clock.left)
    fork = machine.device == "cpu" and pair.target is not None
    with _Session(fork, True, seconds, lambda _: None, folder) as session:
        result = train(session, sides, scenarios()[0], script, machine, context, folder)
    report = Report(machine, script, said, (result,))
    document = dry_run_json(report)
    return {**document, "differing": _differing(document), "lines": list(dry_run_lines(report))}


def _differing(document: dict[str, Any]) -> dict[str, list[str]]:
    """What makes the verdict: the checks that differ, of the pair and of each side, or the failure of one."""
    (found,) = document["scenarios"]
    of = {"pair": found["checks"]}
    failed = {}
    for side, name in zip(found["sides"], ("left", "right"), strict=True):
        of[name] = [*side["predicted"], *side["checks"]]
        if side["failure"]:
            failed[name] = [side["failure"]["message"]]
    differing = {
        name: [check["name"] for check in checks if check["status"] == "differs"] for name, checks in of.items()
    }
    return {**{name: checks for name, checks in differing.items() if checks}, **failed}


def _files(pair: Pair, folder: Path, context: Context) -> tuple[ConfigFile, ...]:
    path = str(folder / write(folder, "as_written.yaml", pair.data))
    if pair.target is None:
        read = config_file(path, None, context, folder)
        return replace(read, label="torch AdamW"), replace(read, label=_FUSED_LABEL)
    return config_files(path, None, pair.target, None, context, Options(), folder)


def _side(file: ConfigFile, machine: Machine, port: int) -> Side:
    """One process, and a port that no other pair has."""
    topology = topology_of(file.reading, machine, 1)
    flags = {**topology.flags, "main_process_port": str(port)}
    return Side(file.label, file.reading, file.path, replace(topology, flags=flags))


def main() -> None:
    """Runs the pairs, several at once on a GPU, and keeps each as it ends."""
    parser = arguments_of(__doc__)
    parser.add_argument("--precision", default="bf16", choices=("bf16", "fp16"))
    parser.add_argument("--fused", action="store_true", help="DeepSpeed's fused Adam against torch's AdamW")
    asked = parser.parse_args()
    machine, clock, results = machine_of(asked.tiny), Clock(asked.seconds), Results(asked.results)
    with ThreadPoolExecutor(1 if asked.tiny else _AT_ONCE) as pool:
        waiting = {}
        for number, pair in enumerate(pairs(asked.precision, asked.fused, asked.tiny)):
            folder = Path(asked.folder).resolve() / pair.name.replace(" ", "-")
            future = pool.submit(run_pair, pair, number, machine, folder, clock, asked.tiny)
            waiting[future] = pair.name
        for future in as_completed(waiting):
            error = future.exception()
            found = {"verdict": "error", "why": repr(error)} if error else future.result()
            results.put("pairs", waiting[future], found)
            why = found.get("differing") or found.get("why") or ""
            print(f"  {waiting[future]}: {found['verdict']} {why}; {clock.left:.0f} s left", flush=True)


if __name__ == "__main__":
    main()
