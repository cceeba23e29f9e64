"""docs/to-fsdp2.md tells the truth about `accelerate to-fsdp2` and about `fsds convert --to fsdp2`.

A case under to_fsdp2/ holds a file (`input`), what either makes of it, exit status and parts of the report of fsds, and
what upstream's own launcher and plugin run from each text: values of settings by name, or the beginning of an error.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from accelerate.commands.to_fsdp2 import convert_config_to_fsdp2, to_fsdp2_command

from tests.cli.command import run
from tests.oracle.launcher import launch
from tests.oracle.outcome import Refused
from tests.oracle.plugins import settings

FOLDER = Path(__file__).parent / "to_fsdp2"
PAGE = Path(__file__).parent.parent / "docs" / "to-fsdp2.md"
CASES = sorted(path.stem for path in FOLDER.glob("*.yaml"))


@cache
def case(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return loaded


@cache
def block(title: str) -> str:
    """The body of the block of that title on the page."""
    found = re.search(rf'^```yaml title="{title}"\n(.*?)^```$', PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found, f"docs/to-fsdp2.md has no block {title}"
    return found[1]


@pytest.mark.parametrize("name", CASES)
def test_accelerate_writes_what_the_page_says(name: str) -> None:
    written = yaml.dump(convert_config_to_fsdp2(yaml.safe_load(case(name)["input"])))
    assert written == case(name)["to_fsdp2"]


@pytest.mark.parametrize("name", CASES)
def test_fsds_writes_what_the_page_says(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.yaml").write_text(case(name)["input"], encoding="utf-8")
    outcome = run(tmp_path, "convert", f"{name}.yaml", "--to", "fsdp2")
    assert (outcome.status, outcome.out) == (case(name)["exit"], case(name)["fsds"])
    assert [said for said in case(name)["report"] if said not in outcome.err] == []


@pytest.mark.parametrize(("name", "which"), [(name, which) for name in CASES for which in case(name)["runs"]])
def test_upstream_runs_what_the_page_says(name: str, which: str, tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(case(name)[which], encoding="utf-8")
    launched = launch(path)
    found = launched if isinstance(launched, Refused) else settings(launched)
    expected = case(name)["runs"][which]
    if isinstance(expected, str):
        assert isinstance(found, Refused)
        assert f"{found.error_type}: {found.message}".startswith(expected)
        return
    assert isinstance(found, dict), found
    known = {**found, **(found["parallelism"] or {})}
    assert {key: known[key] for key in expected} == expected


@pytest.mark.parametrize("name", CASES)
def test_page_shows_the_case(name: str) -> None:
    assert block(f"{name}.yaml") == case(name)["input"]
    assert block(f"{name}.to-fsdp2.yaml") == case(name)["to_fsdp2"]


def test_page_shows_no_other_case() -> None:
    titles = re.findall(r'^```yaml title="([\w-]+)\.yaml"$', PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(titles) == CASES


def arguments(folder: Path, **given: Any) -> argparse.Namespace:
    source = folder / "fsdp1.yaml"
    source.write_text(case("number")["input"], encoding="utf-8")
    return argparse.Namespace(**{"config_file": str(source), "output_file": None, "overwrite": False, **given})


def test_accelerate_raises_without_an_output(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="If --overwrite is not set, --output_file must be provided"):
        to_fsdp2_command(arguments(tmp_path))
    assert run(tmp_path, "convert", "fsdp1.yaml", "--to", "fsdp2").out == case("number")["fsds"]


def test_accelerate_raises_for_an_existing_output(tmp_path: Path) -> None:
    (tmp_path / "out.yaml").write_text("kept: true\n", encoding="utf-8")
    with pytest.raises(FileExistsError, match="already exists and --overwrite is not set"):
        to_fsdp2_command(arguments(tmp_path, output_file=str(tmp_path / "out.yaml")))
    outcome = run(tmp_path, "convert", "fsdp1.yaml", "--to", "fsdp2", "-o", "out.yaml")
    assert (outcome.status, outcome.out) == (2, "")
    assert "out.yaml: exists already" in outcome.err


def test_accelerate_raises_for_a_syntax_error(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("fsdp_config: [1\nb: 2\n", encoding="utf-8")
    with pytest.raises(yaml.YAMLError):
        to_fsdp2_command(arguments(tmp_path, config_file=str(tmp_path / "broken.yaml"), overwrite=True))
    outcome = run(tmp_path, "convert", "broken.yaml", "--to", "fsdp2")
    assert outcome.status == 2
    assert "broken.yaml:2:2: " in outcome.err
    assert "Traceback" not in outcome.err


def accelerate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", "-m", "accelerate.commands.accelerate_cli", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_accelerate_shows_a_traceback_for_a_missing_file(tmp_path: Path) -> None:
    theirs = accelerate(tmp_path, "to-fsdp2", "--config_file", "absent.yaml", "--overwrite")
    assert theirs.returncode == 1
    assert "Traceback (most recent call last)" in theirs.stderr
    assert theirs.stderr.endswith("FileNotFoundError: Config file absent.yaml not found\n")
    ours = run(tmp_path, "convert", "absent.yaml", "--to", "fsdp2")
    assert (ours.status, ours.err.splitlines()[0]) == (2, "error: absent.yaml: no such file")


def test_accelerate_suggests_no_command(tmp_path: Path) -> None:
    theirs = accelerate(tmp_path, "lunch")
    assert theirs.returncode == 2
    assert "invalid choice: 'lunch' (choose from" in theirs.stderr
    ours = run(tmp_path, "convrt", "fsdp1.yaml")
    assert ours.status == 2
    assert "Did you mean 'convert'?" in ours.err


def test_accelerate_says_nothing_and_ends_with_0(tmp_path: Path) -> None:
    (tmp_path / "typo-key.yaml").write_text(case("typo-key")["input"], encoding="utf-8")
    theirs = accelerate(tmp_path, "to-fsdp2", "--config_file", "typo-key.yaml", "--output_file", "out.yaml")
    assert (theirs.returncode, theirs.stdout) == (0, "")
    assert "shardng" not in theirs.stderr
    assert (tmp_path / "out.yaml").read_text(encoding="utf-8") == case("typo-key")["to_fsdp2"]
