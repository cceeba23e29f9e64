"""The exact `accelerate launch` of a training."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from fsds_convert.dry_run.job import Job

WORKER = "fsds_convert.dry_run.worker"
PORT = "{port}"  # the fork server puts a free one here


@dataclass(frozen=True)
class Launch:
    """A config file, the options that go before it, and the job of its processes."""

    config_file: str
    job: Job
    flags: Mapping[str, str] = field(default_factory=dict, hash=False)
    processes: int = 1

    def argv(self, port: str = "0") -> list[str]:
        """What follows `accelerate launch`; port 0 is a free one that the launcher finds."""
        flags = {"main_process_port": port, **self.flags}
        options = [part for name, value in flags.items() for part in (f"--{name}", value)]
        return ["--config_file", self.config_file, *options, "--module", WORKER, self.job.to_json()]

    def command(self) -> str:
        """For a shell."""
        return shlex.join(["accelerate", "launch", *self.argv()])
