"""`accelerate launch --config_file PATH script.py`, up to the point where it would start the processes."""

from __future__ import annotations

import contextlib
import io
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from .environment import job_environment, notices
from .node import Patch, applied, launcher_patches
from .outcome import Refused

_LAUNCHERS = (
    "deepspeed_launcher",
    "multi_gpu_launcher",
    "simple_launcher",
    "tpu_launcher",
    "tpu_pod_launcher",
    "sagemaker_launcher",
)


@dataclass(frozen=True)
class Launched:
    """What the launcher decided: its arguments, the variables it adds or changes, and how the workers are started."""

    path: Path
    launcher: str
    args: Namespace
    env: Mapping[str, str]
    command: tuple[str, ...]  # of subprocess.Popen; empty where torchrun starts the workers
    torchrun: Mapping[str, Any]  # of torch's LaunchConfig; empty where a command is run
    notices: tuple[str, ...]

    @property
    def processes(self) -> int:
        """How many workers really start: torchrun gets num_processes // num_machines per node."""
        if self.torchrun:
            return int(self.torchrun["nnodes"] * self.torchrun["nproc_per_node"])
        if self.launcher == "deepspeed_launcher":
            return int(self.args.num_processes // self.args.num_machines * self.args.num_machines)
        return int(self.args.num_processes) if self.distributed else 1

    @property
    def distributed(self) -> bool:
        """Whether workers find each other: the simple launcher starts one process, unless through mpirun."""
        return self.launcher != "simple_launcher" or self.args.mpirun_hostfile is not None


def launch(path: Path, extra_argv: Sequence[str] = ()) -> Launched | Refused:
    """What `accelerate launch --config_file path *extra_argv script.py` decides, or its refusal."""
    chosen: list[tuple[str, Namespace]] = []
    stderr = io.StringIO()
    with job_environment() as base, notices() as said, applied(launcher_patches() + _launchers(chosen)):
        try:
            with contextlib.redirect_stderr(stderr):
                args = parser().parse_args(["--config_file", str(path), *extra_argv, "script.py"])
            _launch_command(args)
            name, args = chosen[0]
            command, env = _prepared(name, args)
            torchrun = {} if command else _torchrun(args, env)
        except SystemExit:
            return Refused("launcher", "SystemExit", stderr.getvalue().strip().rpartition("error: ")[2])
        except Exception as error:
            return Refused.because("launcher", error)
    added = {key: value for key, value in env.items() if base.get(key) != value}
    return Launched(path, name, args, added, tuple(command), torchrun, tuple(said))


@lru_cache(maxsize=1)
def parser() -> ArgumentParser:
    """The parser of `accelerate launch`, built once."""
    from accelerate.commands.launch import launch_command_parser

    built: ArgumentParser = launch_command_parser()
    return built


@lru_cache(maxsize=1)
def _torchrun_parser() -> ArgumentParser:
    from torch.distributed.run import get_args_parser

    return get_args_parser()


def _launch_command(args: Namespace) -> None:
    from accelerate.commands.launch import launch_command

    launch_command(args)


def _launchers(chosen: list[tuple[str, Namespace]]) -> tuple[Patch, ...]:
    from accelerate.commands import launch as command

    def stand_in(name: str) -> Callable[..., None]:
        return lambda *args: chosen.append((name, args[-1]))

    return tuple(Patch(command, name, stand_in(name), "this is what would start the processes") for name in _LAUNCHERS)


def _prepared(name: str, args: Namespace) -> tuple[list[str], dict[str, str]]:
    """The command and environment the launcher of that name makes first (accelerate/commands/launch.py:992-1089)."""
    from accelerate.utils import launch

    if name == "deepspeed_launcher":
        command, env = launch.prepare_deepspeed_cmd_env(args)
    elif name == "multi_gpu_launcher":
        command, env = [], launch.prepare_multi_gpu_env(args)
    elif name == "simple_launcher":
        command, env = launch.prepare_simple_launcher_cmd_env(args)
    else:
        raise NotImplementedError(f"the oracle does not follow {name}")
    if not command:
        # patch_environment upper-cases names and turns every value into text (accelerate/utils/environment.py:435)
        return [], {key.upper(): str(value) for key, value in env.items()}
    for text in (*command, *env.values()):
        os.fsencode(text)  # as Popen does, which refuses None
    return command, env


def _torchrun(args: Namespace, env: Mapping[str, str]) -> dict[str, Any]:
    """What torchrun reads out of the same arguments (torch/distributed/run.py:985, without elastic_launch)."""
    from accelerate.utils.launch import _filter_args
    from torch.distributed import run

    script = ["--training_script", args.training_script, "--training_script_args", *args.training_script_args]
    with job_environment({"OMP_NUM_THREADS": "1", **env}):  # torchrun's own default, with a long warning
        filtered = _filter_args(args, _torchrun_parser(), script)
        single = run.parse_min_max_nnodes(filtered.nnodes)[1] == 1
        if filtered.standalone or (single and not filtered.rdzv_endpoint and filtered.master_port is None):
            filtered.rdzv_backend, filtered.rdzv_endpoint = "c10d", "localhost:0"
        filtered.log_dir = filtered.log_dir or os.devnull  # else it makes a folder for logs
        config, _, _ = run.config_from_args(filtered)
    if config.nproc_per_node <= 0:
        raise AssertionError  # as WorkerSpec does, torch/distributed/elastic/agent/server/api.py:109
    return {
        "nnodes": config.min_nodes,
        "nproc_per_node": config.nproc_per_node,
        "node_rank": config.rdzv_configs.get("rank"),
        "rdzv_backend": config.rdzv_backend,
        "rdzv_endpoint": config.rdzv_endpoint,
    }
