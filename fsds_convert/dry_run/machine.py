"""What is here to train with: packages, GPUs, room on the disk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from fsds_convert.dry_run.topology import Machine, Nodes

_ALWAYS = ("torch", "accelerate", "transformers")
_GIGABYTE = 2**30
_PROBE = (
    "import json, torch; n = torch.cuda.device_count(); "
    "print(json.dumps([torch.cuda.mem_get_info(i)[0] for i in range(n)]))"
)


def missing_packages(deepspeed: bool) -> tuple[str, ...]:
    """Those that a dry run imports and this Python does not have."""
    return tuple(name for name in (*_ALWAYS, *(["deepspeed"] if deepspeed else [])) if not _found(name))


def _found(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def this_machine() -> tuple[Machine, str]:
    """Its GPUs, or the CPU; and why they cannot be used, where it is so. Nothing is imported here."""
    if os.environ.get("CUDA_VISIBLE_DEVICES") == "" or not any(Path("/dev").glob("nvidia[0-9]*")):
        return Machine(), ""
    done = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return Machine(), ""
    free = json.loads(done.stdout.splitlines()[-1])
    if not free:
        return Machine(), ""
    full = [str(index) for index, left in enumerate(free) if left < _GIGABYTE]
    why = f"GPU {', '.join(full)} has less than 1 GB of free memory" if full else ""
    return Machine("cuda", len(free)), why


def lack_of_room(folder: Path, needed: int) -> str:
    """What is said where the disk is too full."""
    free = shutil.disk_usage(folder).free
    return "" if free > needed else f"{folder} has {free // 2**20} MB left, and {needed // 2**20} MB may be written"


def nodes_of(machines: int | None, rank: int | None, ip: str | None, port: int | None) -> Nodes | None:
    """The machines that were named, else those of a SLURM job; raises ValueError for half an answer."""
    variables = os.environ
    machines = machines or int(variables.get("SLURM_NNODES", "1"))
    if machines <= 1:
        return None
    here = rank if rank is not None else variables.get("SLURM_NODEID")
    ip = ip or variables.get("SLURM_LAUNCH_NODE_IPADDR")
    if here is None or ip is None:
        raise ValueError("--num-machines needs --machine-rank and --main-process-ip")
    return Nodes(machines, int(here), ip, port or 29500)
