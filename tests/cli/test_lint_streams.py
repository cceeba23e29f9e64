"""`fsds lint`: colours, terminals, closed and full streams, interruptions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from .command import on_terminal, run, spawn
from .configs import FSDP1

BAD = FSDP1.replace("fsdp_sharding_strategy", "fsdp_shardng_strategy")


@pytest.fixture(autouse=True)
def _no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_WORKFLOW", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)


# environment, option -> whether there are colours off a terminal
COLOURS = [
    ({}, (), False),
    ({"FORCE_COLOR": "1"}, (), True),
    ({"CLICOLOR_FORCE": "1"}, (), True),
    ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), False),
    ({}, ("--color", "always"), True),
    ({"NO_COLOR": "1"}, ("--color", "always"), True),
    ({"FORCE_COLOR": "1"}, ("--color", "never"), False),
    ({"FORCE_COLOR": "1"}, ("-o", "out.txt"), False),
    ({}, ("--color", "always", "--output-format", "json"), False),
]


@pytest.mark.parametrize(("environment", "options", "coloured"), COLOURS)
def test_colours(
    environment: dict[str, str],
    options: tuple[str, ...],
    coloured: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, a=BAD)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    done = run(tmp_path, "lint", *options)
    written = tmp_path / "out.txt"
    assert ("\x1b[" in (written.read_text() if written.exists() else done.out)) == coloured
    assert "\x1b[" not in done.err


@pytest.mark.skipif(os.name == "nt", reason="needs a terminal of POSIX")
@pytest.mark.parametrize(
    ("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_on_a_terminal(environment: dict[str, str], coloured: bool, tmp_path: Path) -> None:
    write(tmp_path, a=BAD)
    done = on_terminal(tmp_path, "lint", environment=environment)
    assert done.status == 1
    assert "FSDS102" in done.err
    assert "-->" in done.err, "full on a terminal"
    assert ("\x1b[" in done.err) == coloured


FSDS = f"'{sys.executable}' -m fsds_convert"
STREAMS = {
    "reader of a line": (f"{FSDS} lint --output-format full | head -n 1", 1),
    "reader of nothing": (f"{FSDS} lint --output-format sarif | true", 1),
    "reader of a diff": (f"{FSDS} lint --diff | true", 1),
    "reader of fixed text": (f"{FSDS} lint --fix - <a.yaml | true", 0),
    "closed stdout": (f"{FSDS} lint >&-", 1),
    "closed stdout of a fix": (f"{FSDS} lint --fix >&-", 0),
    "closed stderr": (f"{FSDS} lint 2>&-", 1),
    "closed stdin": (f"{FSDS} lint - <&-", 0),
    "full stdout": (f"{FSDS} lint >/dev/full", 2),
    "full stdout of fixed text": (f"{FSDS} lint --fix - <a.yaml >/dev/full", 2),
}


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
@pytest.mark.parametrize("name", STREAMS)
def test_stream(name: str, tmp_path: Path) -> None:
    command, status = STREAMS[name]
    if "/dev/full" in command and not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    write(tmp_path, a=BAD)
    first, bar, rest = command.partition(" | ")
    script = f"{{ {first}; echo $? >status; }}{bar}{rest}"
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (tmp_path / "status").read_text() == f"{status}\n"
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr


@pytest.mark.parametrize("error", [KeyboardInterrupt, EOFError])
def test_interrupted(error: type[BaseException], tmp_path: Path) -> None:
    write(tmp_path, a=BAD)
    with patch("fsds_convert.cli.lint_run.discover", side_effect=error):
        done = run(tmp_path, "lint", "--fix")
    assert (done.status, done.out, done.err.strip()) == (130, "", "")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupted_by_a_signal(tmp_path: Path) -> None:
    start = "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    module = 'runpy.run_module("fsds_convert", run_name="__main__", alter_sys=True)'
    process = subprocess.Popen(
        [sys.executable, "-c", start + module, "lint", "-"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(b"#" * 300_000)  # more than a pipe holds: once it is written, most of it has been read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")


def test_escapes_of_a_file_are_not_obeyed(tmp_path: Path) -> None:
    write(tmp_path, a=BAD.replace("fsdp_shardng_strategy", '"\\e[31mfsdp"'))
    done = spawn(tmp_path, "lint")
    assert done.status == 1
    assert b"\x1b" not in done.raw
