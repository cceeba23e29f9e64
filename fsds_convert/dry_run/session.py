"""Starts trainings from a process that imports nothing heavy, and ends them whatever happens."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from fsds_convert.dry_run.launch import PORT, Launch
from fsds_convert.dry_run.observation import Failure, Observation, read

Progress = Callable[[str], None]
IMPORTS = "imports"  # the stage of a failure before anything was trained
_IMPORT_SECONDS = 120.0
_LATE = 15.0  # beyond the time limit, until the server itself is taken for dead


class Session:
    """Runs one launch after the other: on a CPU through a fork server, else through `accelerate launch`."""

    def __init__(self, fork: bool, deepspeed: bool, timeout: float, progress: Progress, folder: Path) -> None:
        self._fork, self._deepspeed, self._timeout = fork, deepspeed, timeout
        self._progress, self._folder = progress, folder
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def __enter__(self) -> Session:
        if self._fork:
            self._progress("importing torch and accelerate")
            arguments = ["--deepspeed"] if self._deepspeed else []
            command = [sys.executable, "-m", "fsds_convert.dry_run.fork_server", *arguments]
            with (self._folder / "imports.log").open("wb") as log:
                self._process = _start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            _end(self._process)

    def run(self, launch: Launch, world: int | None = None) -> Observation | Failure:
        """One training."""
        folder = Path(launch.job.folder)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if self._process is None:
            return self._command(launch, folder)
        request = {
            "argv": launch.argv(PORT),
            "folder": str(folder),
            "timeout": self._timeout,
            "world": world,
        }
        return self._request(self._process, request, launch, folder)

    def _request(
        self, server: subprocess.Popen[bytes], request: dict[str, Any], launch: Launch, folder: Path
    ) -> Observation | Failure:
        deadline = time.monotonic() + self._timeout + _IMPORT_SECONDS
        try:
            assert server.stdin is not None
            server.stdin.write((json.dumps(request) + "\n").encode())
            server.stdin.flush()
        except BrokenPipeError:
            return self._dead(server)
        while True:
            event = self._event(server, deadline)
            if event is None:
                return self._dead(server)
            if event["event"] == "refused":
                return Failure(f"{event['type']}: {event['message']}", stage="accelerate launch")
            if event["event"] == "started":
                deadline = time.monotonic() + self._timeout + _LATE
            if event["event"] == "step":
                self._progress(f"{launch.job.name}: step {event['step']}/{launch.job.steps}")
            if event["event"] == "ended":
                codes = {int(rank): int(code) for rank, code in event["codes"].items()}
                return read(folder, codes, event["timeout"], self._timeout)

    def _dead(self, server: subprocess.Popen[bytes]) -> Failure:
        log = (self._folder / "imports.log").read_text("utf-8", "replace")
        server.poll()
        lines = [line for line in log.splitlines() if line.strip()]
        return Failure(lines[-1] if lines else "the process that imports torch has ended", stage=IMPORTS, log=log)

    def _event(self, server: subprocess.Popen[bytes], deadline: float) -> dict[str, Any] | None:
        """The next event; None when the server has ended or says nothing."""
        assert server.stdout is not None
        while b"\n" not in self._rest:
            ready, _, _ = select.select([server.stdout], [], [], max(0.0, deadline - time.monotonic()))
            part = os.read(server.stdout.fileno(), 65536) if ready else b""
            if not part:
                return None
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        event: dict[str, Any] = json.loads(line)
        return event

    def _command(self, launch: Launch, folder: Path) -> Observation | Failure:
        """`accelerate launch` itself, as the user would start it."""
        command = [sys.executable, "-m", "accelerate.commands.accelerate_cli", "launch", *launch.argv()]
        self._progress(f"{launch.job.name}: accelerate launch")
        with (folder / "launch.log").open("wb") as log:
            process = _start(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            try:
                code = process.wait(self._timeout)
            except subprocess.TimeoutExpired:
                return read(folder, {}, True, self._timeout)
            finally:
                _end(process)
        found = read(folder, {}, False, self._timeout)
        if isinstance(found, Failure) and found.rank is None and code:
            return Failure(_last_error(found.log) or f"accelerate launch ended with status {code}", log=found.log)
        return found


def _start(command: list[str], **streams: int | IO[bytes]) -> subprocess.Popen[bytes]:
    """In a process group of its own, so that all of it can be ended."""
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {"OMP_NUM_THREADS": "1", **os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.Popen(command, start_new_session=True, env=environment, **streams)  # type: ignore[call-overload, no-any-return]


def _end(process: subprocess.Popen[bytes]) -> None:
    """The whole group: asked first, which torchrun passes on to its workers, then made to."""
    for signum, seconds in ((signal.SIGTERM, 10.0), (signal.SIGKILL, 5.0)):
        try:
            os.killpg(process.pid, signum)
        except (ProcessLookupError, PermissionError):
            break
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                continue


def _last_error(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return next((line for line in reversed(lines) if "Error" in line.split(":")[0]), "")
