"""Closed and full streams: the work goes on, without a traceback, and the exit status is what it would have been."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .configs import FSDP1, HYBRID

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a shell")

FSDS = f"'{sys.executable}' -m fsds_convert"
EFFECTIVE = f"{FSDS} effective a.yaml --all --output-format json"
CONVERT = f"{FSDS} convert a.yaml --to deepspeed"
FULL = "stdout cannot be written: No space left on device"

# the shell's command, the exit status of fsds, and a part of stderr; None: there is nothing on it
CASES: dict[str, tuple[str, int, str | None]] = {
    "reader that reads a line": (f"{EFFECTIVE} | head -n 1", 0, None),
    "reader that reads nothing": (f"{EFFECTIVE} | true", 0, None),
    "reader of the version": (f"{FSDS} --version | true", 0, None),
    "reader of the help": (f"{FSDS} convert --help | true", 1, None),
    "reader of a conversion": (f"{CONVERT} --report none | true", 0, None),
    "reader of a difference": (f"{CONVERT} --report none --diff | true", 1, None),
    "reader of a report": (f"{CONVERT} 2>&1 >converted.yaml | true", 0, None),
    "reader of a refusal": (f"{FSDS} convert hybrid.yaml --to deepspeed 2>&1 | true", 1, None),
    "reader of an error": (f"{FSDS} convert none.yaml --to deepspeed 2>&1 | true", 2, None),
    "closed stdout": (f"{EFFECTIVE} >&-", 0, None),
    "closed stdout of a conversion": (f"{CONVERT} --report none >&-", 0, None),
    "closed stdout of the version": (f"{FSDS} --version >&-", 0, None),
    "closed stdout of the help": (f"{FSDS} --help >&-", 0, None),
    "closed stderr": (f"{CONVERT} -o converted.yaml 2>&-", 0, None),
    "closed stderr of an error": (f"{FSDS} effective none.yaml 2>&-", 2, None),
    "closed stdin": (f"{FSDS} effective - <&-", 2, "<stdin>:1:1: no value in the file"),
    "closed stdin that is not read": (f"{CONVERT} --report none <&- >converted.yaml", 0, None),
    "full stdout": (f"{EFFECTIVE} >/dev/full", 2, FULL),
    "full stdout of a conversion": (f"{CONVERT} --report none >/dev/full", 2, FULL),
    "full stdout of the version": (f"{FSDS} --version >/dev/full", 2, FULL),
    "full stdout of the help": (f"{FSDS} --help >/dev/full", 2, FULL),
    "full stderr": (f"{CONVERT} >converted.yaml 2>/dev/full", 0, None),
}


@pytest.mark.parametrize("name", CASES)
def test_stream(name: str, tmp_path: Path) -> None:
    command, status, said = CASES[name]
    if "/dev/full" in command and not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    (tmp_path / "a.yaml").write_text(FSDP1)
    (tmp_path / "hybrid.yaml").write_text(HYBRID)
    first, bar, rest = command.partition(" | ")
    script = f"{{ {first}; echo $? >status; }}{bar}{rest}"
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (tmp_path / "status").read_text() == f"{status}\n"
    assert (said is None and done.stderr == "") or (said is not None and said in done.stderr)
    assert "Traceback" not in done.stderr
    if "converted.yaml" in command:
        assert "zero_stage: 3" in (tmp_path / "converted.yaml").read_text()
