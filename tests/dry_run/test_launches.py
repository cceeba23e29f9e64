"""Real trainings, few of them: the whole matrix is run by a script of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .configs import config, write

ROOT = Path(__file__).parent.parent.parent
COMMAND = [sys.executable, "-c", "from fsds_convert.cli import main; main()", "dry-run"]

# one training at a time: each has two processes


def environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **more}


def run(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=folder, env=env or environment(), capture_output=True, text=True, check=False
    )


def document(folder: Path, *arguments: str) -> dict[str, Any]:
    """The JSON report of a dry run that passes; prints a line."""
    began = time.monotonic()
    done = run(folder, *arguments, "--output-format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    print(f"{' '.join(arguments)}: {found['verdict']} in {time.monotonic() - began:.1f} s")
    return found


def statuses(found: dict[str, Any]) -> dict[str, str]:
    return {check["name"]: check["status"] for check in found["scenarios"][0]["checks"]}


def losses(found: dict[str, Any]) -> list[list[float]]:
    return [side["observed"]["losses"] for side in found["scenarios"][0]["sides"]]


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".yaml")


def test_fsdp1_trains_as_its_conversion_to_zero3(tmp_path: Path) -> None:
    found = document(tmp_path, write(tmp_path, "a.yaml", config("fsdp1", {"num_processes": 8})), "--to", "deepspeed")
    assert {name for name, status in statuses(found).items() if status == "allowed"} == {
        *("prepared", "buffers", "output", "saved", "clipping", "autocast")
    }
    for side in found["scenarios"][0]["sides"]:
        assert {check["status"] for check in side["predicted"]} <= {"same", "not seen"}
        assert side["observed"]["elements"] == [45216, 45216]
    assert left_behind(tmp_path) == []


def test_zero3_trains_as_its_conversion_to_fsdp2(tmp_path: Path) -> None:
    found = document(tmp_path, write(tmp_path, "a.yaml", config("deepspeed")), "--to", "fsdp2")
    assert statuses(found)["loss"] == "same"
    (clipped,) = {check["left"] for check in found["scenarios"][0]["checks"] if check["name"] == "norm at the step"}
    assert float(clipped) == pytest.approx(1.0, abs=1e-5)


def test_all_bf16_is_exactly_the_same_on_both(tmp_path: Path) -> None:
    """The row that Accelerate's concept guide says does not exist."""
    path = write(tmp_path, "a.yaml", config("fsdp2", {"mixed_precision": "no"}))
    asked = ("--to", "deepspeed", "--model-dtype", "bf16", "--max-grad-norm", "none", "--plot", "loss.svg")
    found = document(tmp_path, path, *asked)
    left, right = losses(found)
    assert left == right
    assert {side["observed"]["stages"]["optimizer_states"] for side in found["scenarios"][0]["sides"]} == {"bf16"}
    assert left_behind(tmp_path) == ["loss.svg"]


def test_a_fake_world_has_the_shards_of_the_real_one(tmp_path: Path) -> None:
    path = write(tmp_path, "a.yaml", config("deepspeed", {"num_processes": 64}))
    found = document(tmp_path, path, "--world", "64")
    (side,) = found["scenarios"][0]["sides"]
    assert (side["observed"]["elements"], side["observed"]["losses"]) == ([90432 // 64], [])


def test_a_config_that_fails_says_why_first(tmp_path: Path) -> None:
    path = write(tmp_path, "a.yaml", config("fsdp1", {}, {"fsdp_sharding_strategy": "FOO"}))
    done = run(tmp_path, path)
    assert done.returncode == 1
    (line,) = (line for line in done.stdout.splitlines() if "failed (" in line)
    assert line.endswith("Accelerator()): KeyError: 'FOO'")


def test_what_the_launcher_refuses_is_its_message(tmp_path: Path) -> None:
    done = run(tmp_path, write(tmp_path, "a.yaml", config("fsdp2", {"mixed_precision": "bf61"})))
    assert done.returncode == 1
    assert "failed (accelerate launch): ValueError: Unknown mixed_precision mode: bf61" in done.stdout


def test_a_time_limit_ends_every_process(tmp_path: Path) -> None:
    path = write(tmp_path, "a.yaml", config("fsdp2"))
    done = run(tmp_path, path, "--steps", "100000", "--timeout", "4", "--log-dir", "logs")
    assert done.returncode == 1
    assert "no end after 4 s (--timeout)" in done.stdout
    assert still_running(tmp_path) == []


@pytest.mark.parametrize(("signum", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_children_end_with_the_command(signum: signal.Signals, status: int, tmp_path: Path) -> None:
    path = write(tmp_path, "a.yaml", config("fsdp2"))
    # a job in the background has been told to ignore interrupts
    heeds = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {COMMAND[2]}"
    command = [*COMMAND[:2], heeds, *COMMAND[3:], path, "--steps", "100000", "--log-dir", "logs"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL)
    log = tmp_path / "logs" / "as-written-1" / "rank0.log"
    try:
        assert waited(lambda: log.exists() and "step 3 " in log.read_text("utf-8", "replace"), 120)
        process.send_signal(signum)
        assert process.wait(60) == status
    finally:
        process.kill()  # a training without end would hold every core
        process.wait()
    assert waited(lambda: still_running(tmp_path) == [], 20)


def waited(holds: Any, seconds: float) -> bool:
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if holds():
            return True
        time.sleep(0.1)
    return False


def still_running(folder: Path) -> list[str]:
    """Processes that work in the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").resolve() == folder.resolve() and (process / "cmdline").read_bytes():
                found.append(process.name)
        except OSError:
            continue
    return found


def test_missing_packages_cannot_be_run(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Blocked:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('torch', 'deepspeed'):\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}')\n"
        "sys.meta_path.insert(0, Blocked())\n",
        "utf-8",
    )
    path = write(tmp_path, "a.yaml", config("deepspeed"))
    done = run(tmp_path, path, env=environment(PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)])))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == "error: torch and deepspeed are not installed\n  hint: pip install torch deepspeed\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "fsdp2", "--against", "b.yaml"), "--against and --to are both given"),
        (("--num-machines", "2"), "--num-machines needs --machine-rank and --main-process-ip"),
        (("--plot", "a.png"), "does not end in .svg"),
        (("--print-command", "--to", "fsdp2"), "--print-command with --to needs --log-dir"),
        (("--model", "no/model"), "--model no/model: no such file or folder"),
        (("--to", "fsdp3"), "unknown target `fsdp3`"),
        (("--against", "no.yaml"), "no.yaml: no such file"),
    ],
)
def test_mistakes_of_the_caller(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = run(tmp_path, write(tmp_path, "a.yaml", config("deepspeed")), *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_the_commands_of_two_machines(tmp_path: Path) -> None:
    path = write(tmp_path, "a.yaml", config("deepspeed"))
    asked = ("--print-command", "--num-machines", "2", "--main-process-ip", "10.0.0.1")
    lines = run(tmp_path, path, *asked).stdout.splitlines()
    assert [line for line in lines if line.startswith("#")] == ["# machine 0", "# machine 1"]
    assert "--machine_rank 1 --main_process_ip 10.0.0.1 --deepspeed_multinode_launcher standard" in lines[3]
