"""Committed text holds nothing of the machine or the person that wrote it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

MACHINE_PATH = re.compile(r"(?<![\w.}/-])/(?:(?:work|root|tmp)/|(?:home|Users)/[\w.-]+)")
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b", re.IGNORECASE)


def committed() -> list[Path]:
    """What git tracks, and what it would take with the next commit."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def hits(pattern: re.Pattern[str]) -> list[str]:
    found = []
    for path in committed():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}:{n}: {line}" for n, line in enumerate(lines, 1) if pattern.search(line)]
    return found


def test_no_path_of_one_machine() -> None:
    assert hits(MACHINE_PATH) == []


def test_no_e_mail_address() -> None:
    assert hits(EMAIL) == []


@pytest.mark.parametrize("folder", ["work", "root", "tmp", "home/jane", "Users/jane"])
def test_pattern_finds_a_path(folder: str) -> None:
    assert MACHINE_PATH.search(f'open("/{folder}/train.yaml")')


@pytest.mark.parametrize("text", ["tests/root/a.yaml", "${HOME}/work/a.yaml", "https://example.org/work/", "../tmp/a"])
def test_pattern_leaves_relative_paths_alone(text: str) -> None:
    assert not MACHINE_PATH.search(text)


def test_pattern_finds_an_address() -> None:
    assert EMAIL.search("jane.doe" + "@" + "example.org")
    assert not EMAIL.search("@pytest.mark.parametrize and $@ and rows: 3@4")
