"""Throughput of FSDP in mixed precision, weights upcast as DeepSpeed does, against ZeRO-3: a random Llama of 1.1e9.

`python -m tests.gpu.throughput --folder FOLDER [--tiny]`
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from fsds_convert.dry_run.job import OptimizerSettings
from fsds_convert.dry_run.launch import Launch
from fsds_convert.dry_run.side import Script, Side, run_of
from fsds_convert.dry_run.sides import config_file
from fsds_convert.dry_run.table import scenarios
from fsds_convert.dry_run.topology import Machine, topology_of
from fsds_convert.settings.context import Context
from tests.dry_run.configs import config, write
from tests.gpu.launches import THROUGHPUT, Clock, Results, arguments_of, machine_of, of_module

ROOT = Path(__file__).resolve().parents[2]
# another model, other GPUs and four of them: the ratio is what can be held against ours
PUBLISHED = {
    "source": "https://huggingface.co/blog/deepspeed-to-fsdp-and-back",
    "model": "Granite 7B",
    "gpus": "4 A100",
    "FSDP (aligned mode)": {"tokens_per_second_per_device": 3158.7, "step_time": 10.4, "mfu": 0.41},
    "DeepSpeed": {"tokens_per_second_per_device": 3094.5, "step_time": 10.6, "mfu": 0.40},
}
# the shape of TinyLlama: 1.1e9 parameters
ONE_BILLION = {
    "hidden_size": 2048,
    "num_hidden_layers": 22,
    "intermediate_size": 5632,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "vocab_size": 32000,
    "max_position_embeddings": 2048,
    "use_cache": False,
}
SMALL = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 128,
}
_RUN_SECONDS = 75.0


def contenders() -> dict[str, dict[str, Any]]:
    """What is measured. zero.Init stays off: the model is made in bf16 on the device on every side."""
    top = {"mixed_precision": "bf16", "num_processes": 1}
    loads = {"fsdp_cpu_ram_efficient_loading": False}
    zero3 = config("deepspeed", top, {"zero3_init_flag": False})
    return {
        "fsdp1 aligned": config("fsdp1", top, {**loads, "fsdp_sync_module_states": False}),
        "zero3": zero3,
        "fsdp2 aligned": config("fsdp2", top, loads),
        "zero3 with FusedAdam": zero3,
    }


def launch_of(name: str, data: dict[str, Any], machine: Machine, folder: Path, tiny: bool) -> Launch:
    """The launch of the throughput worker; both sides clip at 1, ZeRO by itself."""
    folder.mkdir(parents=True, exist_ok=True)
    context = Context(model_dtype="bf16")
    file = config_file(str(folder / write(folder, "config.yaml", data)), None, context, folder)
    model = folder / "model.json"
    model.write_text(json.dumps({**(SMALL if tiny else ONE_BILLION), "model_type": "llama"}), "utf-8")
    side = Side(name, file.reading, file.path, topology_of(file.reading, machine, 1))
    script = Script(
        steps=2 if tiny else 20,
        sequences=4,
        model=str(model),
        model_dtype="bf16",
        optimizer=OptimizerSettings(lr=1e-4),
        max_norm=1.0,
    )
    launch = run_of(side, script, scenarios()[0], machine.device, folder, "run").launch
    size = {"batch_size": 2, "sequence_length": 16} if tiny else {"batch_size": 8, "sequence_length": 2048}
    return of_module(replace(launch, job=replace(launch.job, **size)), THROUGHPUT)  # type: ignore[arg-type]


def measured(launch: Launch, seconds: float) -> dict[str, Any]:
    """What the worker wrote, or the end of its log."""
    folder = Path(launch.job.folder)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "launch.log"
    command = [sys.executable, "-m", "accelerate.commands.accelerate_cli", "launch", *launch.argv()]
    with log.open("wb") as stream:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
        process = subprocess.Popen(command, stdout=stream, stderr=stream, start_new_session=True, env=environment)
        try:
            status: int | str = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = f"no end after {seconds:.0f} s"
        finally:
            _end(process)
    found = folder / "throughput.json"
    if found.exists():
        result: dict[str, Any] = json.loads(found.read_text("utf-8"))
        return {**result, "verdict": "measured"}
    return {"verdict": "failed", "status": status, "log": log.read_text("utf-8", "replace")[-4000:]}


def _end(process: subprocess.Popen[bytes]) -> None:
    """The launcher and its worker, which share a process group."""
    for signum in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, signum)
            process.wait(5)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def main() -> None:
    """One after the other, each kept as it ends."""
    asked = arguments_of(__doc__).parse_args()
    machine, clock, results = machine_of(asked.tiny), Clock(asked.seconds), Results(asked.results)
    results.put("throughput", "published", PUBLISHED)
    for name, data in contenders().items():
        found: dict[str, Any] = {"verdict": "not run", "why": "no time was left"}
        if clock.left >= 15:
            folder = Path(asked.folder).resolve() / name.replace(" ", "-")
            found = measured(launch_of(name, data, machine, folder, asked.tiny), min(_RUN_SECONDS, clock.left))
        results.put("throughput", name, {**found, "tiny": asked.tiny})
        speed = (
            f", {found['tokens_per_second']:.0f} tokens/s" if "tokens_per_second" in found and not asked.tiny else ""
        )
        print(f"  {name}: {found['verdict']}{speed}; {clock.left:.0f} s left", flush=True)


if __name__ == "__main__":
    main()
