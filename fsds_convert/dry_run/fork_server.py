"""Imports once, then forks the processes of each launch: `python -m fsds_convert.dry_run.fork_server`.

A line of JSON on stdin is a launch (argv of `accelerate launch`, timeout, folder); each event of it is a line on
stdout. The end of stdin, or of the process that holds it, ends every child.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

_POLL = 0.02
_MODULES = (
    "accelerate.commands.launch",
    "accelerate.utils.fsdp_utils",
    "torch.distributed.fsdp",
    "transformers.integrations",
    "transformers.models.llama.modeling_llama",
    "fsds_convert.dry_run.worker",
)
_OF_DEEPSPEED = ("deepspeed.runtime.engine", "transformers.integrations.deepspeed")


def serve(lines: Any, deepspeed: bool) -> None:
    """Imports, then runs one launch after the other."""
    _import(deepspeed)
    _tell({"event": "ready"})
    for line in lines:
        request = json.loads(line)
        try:
            _launch(request)
        except BrokenPipeError:  # nobody is left to tell
            return
        except Exception as error:
            _tell({"event": "refused", "type": type(error).__name__, "message": str(error)})
        except SystemExit as stop:  # argparse
            _tell({"event": "refused", "type": "SystemExit", "message": f"the launcher ended with {stop.code}"})


def _import(deepspeed: bool) -> None:
    for name in (*_MODULES, *(_OF_DEEPSPEED if deepspeed else ())):
        import_module(name)


def environment_of(argv: list[str]) -> tuple[dict[str, str], int, list[str]]:
    """The variables, the number of processes and the script's arguments, from Accelerate's own parser and launcher."""
    from accelerate.commands.launch import _validate_launch_command, launch_command_parser
    from accelerate.utils.launch import prepare_deepspeed_cmd_env, prepare_multi_gpu_env

    arguments, defaults, from_file = _validate_launch_command(launch_command_parser().parse_args(argv))
    if arguments.use_deepspeed:
        fields = list(defaults.deepspeed_config) if defaults else []
        fields += ["mixed_precision"] if from_file else []
        arguments.deepspeed_fields_from_accelerate_config = ",".join(fields)
        _, environment = prepare_deepspeed_cmd_env(arguments)
    else:
        environment = prepare_multi_gpu_env(arguments)
    port = str(arguments.main_process_port)
    texts = {key.upper(): str(value) for key, value in environment.items()}
    texts.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    return texts, int(arguments.num_processes), list(arguments.training_script_args)


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _launch(request: dict[str, Any]) -> None:
    """Forks the ranks and waits: for all, for the first that fails, or for the time limit."""
    argv = [str(free_port()) if each == "{port}" else each for each in request["argv"]]
    environment, processes, arguments = environment_of(argv)
    world = request.get("world")
    processes = 1 if world else processes
    folder = Path(request["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    children = {}
    for rank in range(processes):
        children[_fork(rank, processes, world, environment, arguments[0], folder)] = rank
    ends: dict[int, int] = {}
    try:
        _tell({"event": "started", "processes": processes})
        _wait(children, ends, time.monotonic() + request["timeout"], folder)
    finally:
        _end(children, ends)  # whoever is left, whatever happened


def _fork(
    rank: int, processes: int, world: int | None, environment: dict[str, str], argument: str, folder: Path
) -> int:
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    try:
        log = os.open(folder / f"rank{rank}.log", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        local = str(world or processes)
        environment.update(
            RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=local, LOCAL_WORLD_SIZE=local, GROUP_RANK="0"
        )
        os.environ.clear()
        os.environ.update(environment)
        from fsds_convert.dry_run.worker import main

        main(argument)
    finally:
        os._exit(9)


def _wait(children: dict[int, int], ends: dict[int, int], deadline: float, folder: Path) -> None:
    """When one rank fails the others get a moment to say why, then are ended."""
    reported = 0
    grace: float | None = None
    parent = os.getppid()
    while len(ends) < len(children):
        child, status = os.waitpid(-1, os.WNOHANG)
        now = time.monotonic()
        if child in children:
            ends[child] = os.waitstatus_to_exitcode(status)
            if ends[child] != 0 and grace is None:
                grace = now + 1.0
            continue
        reported = _progress(folder, reported)
        if os.getppid() != parent:
            raise BrokenPipeError
        if now > deadline or (grace is not None and now > grace):
            late = now > deadline and grace is None
            _end(children, ends)
            codes = {children[child]: code for child, code in ends.items()}
            _tell({"event": "ended", "timeout": late, "codes": codes})
            return
        time.sleep(_POLL)
    _progress(folder, reported)
    _tell({"event": "ended", "timeout": False, "codes": {children[child]: code for child, code in ends.items()}})


def _progress(folder: Path, reported: int) -> int:
    """Tells the steps that rank 0 has printed since."""
    try:
        steps = (folder / "rank0.log").read_text("utf-8", "replace").count("\nstep ")
    except OSError:
        return reported
    if steps > reported:
        _tell({"event": "step", "step": steps})
    return steps


def _end(children: dict[int, int], ends: dict[int, int]) -> None:
    """Asks those that are left to end, then makes them."""
    for signum in (signal.SIGTERM, signal.SIGKILL):
        for child in children:
            if child not in ends:
                os.kill(child, signum)
        limit = time.monotonic() + 1.0
        while len(ends) < len(children) and time.monotonic() < limit:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child in children:
                ends[child] = os.waitstatus_to_exitcode(status)
            else:
                time.sleep(_POLL)


def _tell(event: dict[str, Any]) -> None:
    os.write(_EVENTS, (json.dumps(event) + "\n").encode())


if __name__ == "__main__":
    _EVENTS = os.dup(1)
    os.dup2(2, 1)  # what a package prints is no event
    serve(sys.stdin, "--deepspeed" in sys.argv)
