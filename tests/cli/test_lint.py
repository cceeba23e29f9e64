"""`fsds lint`: what it prints, and the exit status that it ends in."""

from __future__ import annotations

import json
import random
from pathlib import Path
from unittest.mock import patch

import pytest

from .case import Case, check
from .command import run
from .configs import FSDP1, WITH_FILE, ZERO3

BAD = FSDP1.replace("fsdp_sharding_strategy", "fsdp_shardng_strategy")
REFUSED = FSDP1.replace("num_machines", "num_machnes")
IDLE = FSDP1.replace("fsdp_version: 1\n", "fsdp_version: 1\n  fsdp_reshard_after_forward: true\n")
LINE = "a.yaml:8:3: FSDS102 [*] unknown key `fsdp_shardng_strategy`; did you mean `fsdp_sharding_strategy`?\n"
CLEAN = "All checks passed: 1 file.\n"
FOUND = "1 warning in 1 file. 1 fixable with --fix.\n"
A = {"a.yaml": BAD}

JSON = '{"zero_optimizatoin": {"stage": 3}, "zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 1}\n'

CASES = {
    # 0, 1, 2
    "clean": Case("lint a.yaml", err=(CLEAN,)),
    "a warning": Case("lint a.yaml", 1, out=(LINE,), err=(FOUND,), files=A),
    "an error": Case(
        "lint a.yaml", 1, out=("a.yaml:3:1: FSDS101",), err=("1 error in 1 file",), files={"a.yaml": REFUSED}
    ),
    "the folder without a path": Case(
        "lint", 1, out=(LINE,), err=("1 warning in 1 of 2 files",), files={**A, "b.yml": FSDP1}
    ),
    "no config": Case(
        "lint a.yaml", err=("No Accelerate or DeepSpeed config was checked (1 file is not",), files={"a.yaml": "a: 1\n"}
    ),
    "an empty folder": Case("lint", err=("No Accelerate or DeepSpeed config was checked.\n",), files={}),
    "a syntax error": Case("lint a.yaml", 1, out=("FSDS001",), err=("1 error",), files={"a.yaml": f"{FSDP1}  x: [\n"}),
    "a missing file": Case("lint b.yaml", 2, err=("error: b.yaml: no such file\n  hint: did you mean `a.yaml`?\n",)),
    "a missing file and a bad one": Case(
        "lint b.yaml a.yaml", 2, out=(LINE,), err=("b.yaml: no such file", FOUND), files=A
    ),
    "a mistyped option": Case("lint --exlude x", 2, err=("--exlude", "--exclude")),
    "help": Case("lint --help", out=("Usage: fsds lint", "[PATHS]...", "--unsafe-fixes", "--per-file-ignores")),
    # --fail-on, --exit-zero, --severity
    "fail on errors": Case("lint a.yaml --fail-on error", out=(LINE,), err=(FOUND,), files=A),
    "fail on errors, and there is one": Case(
        "lint a.yaml --fail-on error", 1, out=("FSDS101",), err=("1 error",), files={"a.yaml": REFUSED}
    ),
    "exit with zero": Case("lint a.yaml --exit-zero", out=(LINE,), err=(FOUND,), files=A),
    "exit with zero, and a missing file": Case("lint b.yaml --exit-zero", 2, err=("no such file",)),
    "errors only": Case("lint a.yaml --severity error", err=(CLEAN,), files=A),
    "an unknown severity": Case("lint --severity all", 2, err=("--severity", "'info'")),
    # rules
    "selected by code": Case("lint a.yaml --select FSDS102", 1, out=(LINE,), err=(FOUND,), files=A),
    "selected by name": Case("lint a.yaml --select unknown-key-ignored", 1, out=(LINE,), err=(FOUND,), files=A),
    "selected by beginning": Case("lint a.yaml --select FSDS2,FSDS1", 1, out=(LINE,), err=(FOUND,), files=A),
    "not selected": Case("lint a.yaml --select FSDS2 --select FSDS4", err=(CLEAN,), files=A),
    "ignored": Case("lint a.yaml --ignore FSDS1", err=(CLEAN,), files=A),
    "ignored by name": Case("lint a.yaml --ignore unknown-key-ignored", err=(CLEAN,), files=A),
    "the longer word wins": Case("lint a.yaml --select FSDS102 --ignore FSDS1", 1, out=(LINE,), err=(FOUND,), files=A),
    "all but": Case("lint a.yaml --select ALL --ignore FSDS102,FSDS105", err=("a",), files=A),
    "ignored in the file": Case("lint a.yaml --per-file-ignores a.yaml:FSDS102", err=(CLEAN,), files=A),
    "ignored in the folder": Case(
        "lint --per-file-ignores 'old:FSDS102,FSDS103'", err=(CLEAN,), files={"old/a.yaml": BAD}
    ),
    "ignored in others": Case("lint a.yaml --per-file-ignores 'b*:FSDS102'", 1, out=(LINE,), err=(FOUND,), files=A),
    "an unknown rule": Case("lint --select FSDS1O2", 2, err=("unknown rule `FSDS1O2`", "did you mean `FSDS102`?")),
    "an unknown beginning": Case("lint --ignore FSD1", 2, err=("unknown rule `FSD1`", "known: FSDS0, FSDS1")),
    "an unknown name": Case("lint --select unknown-key-ignord", 2, err=("did you mean `unknown-key-ignored`?",)),
    "an unknown rule in a file": Case("lint --per-file-ignores 'a:XX'", 2, err=("unknown rule `XX`",)),
    "no rule for the files": Case("lint --per-file-ignores a.yaml", 2, err=("`a.yaml` is no pattern and rule",)),
    # stdin
    "stdin": Case("lint -", 1, out=(LINE.replace("a.yaml", "<stdin>"),), err=(FOUND,), stdin=BAD),
    "stdin with a name": Case("lint - --stdin-filename a.yaml", 1, out=(LINE,), err=(FOUND,), stdin=BAD),
    "stdin of JSON": Case("lint - --select FSDS1", 1, out=("<stdin>:1:2: FSDS102",), err=("1 warning",), stdin=JSON),
    "stdin that is no config": Case("lint -", err=("No Accelerate or DeepSpeed config was checked",), stdin="a: 1\n"),
    "stdin beside a file": Case("lint - a.yaml", 2, err=("- stands beside other paths",), stdin=BAD),
    "stdin ignored by its name": Case(
        "lint - --stdin-filename old/a.yaml --per-file-ignores old:FSDS102", err=(CLEAN,), stdin=BAD
    ),
    # suppressions
    "suppressed": Case(
        "lint a.yaml",
        err=("All checks passed: 1 file, 1 suppressed.\n",),
        files={"a.yaml": BAD.replace("  # everything", "  # fsds: ignore[FSDS102] a fork reads it")},
    ),
    "suppressed without need": Case(
        "lint a.yaml",
        1,
        out=("a.yaml:1:1: FSDS008 [*] nothing to suppress",),
        err=(FOUND,),
        files={"a.yaml": FSDP1.replace("# one node", "# fsds: ignore-file[FSDS102] x")},
    ),
    # output
    "output to a file": Case("lint a.yaml -o out.txt", 1, err=(FOUND,), files=A, after={"out.txt": LINE.strip()}),
    "output of SARIF to a file": Case(
        "lint a.yaml --output-format sarif -o out.sarif --exit-zero",
        err=(FOUND,),
        files=A,
        after={"out.sarif": '"version": "2.1.0"'},
    ),
    "output to a folder that is not there": Case(
        "lint a.yaml -o none/out.txt", 2, err=("none/out.txt: cannot be written",)
    ),
    "output to stdout": Case("lint a.yaml -o -", 1, out=(LINE,), err=(FOUND,), files=A),
    "JSON": Case("lint a.yaml --output-format json", 1, out=('"FSDS102"',), files=A),
    "JUnit of a clean file": Case("lint a.yaml --output-format junit", out=("<testsuite",)),
    "full": Case(
        "lint a.yaml --output-format full", 1, out=("warning[FSDS102]", " --> a.yaml:8:3"), err=(FOUND,), files=A
    ),
    "an unknown format": Case("lint --output-format xml", 2, err=("--output-format", "'sarif'")),
    # options of the script
    "a model that is not there": Case("lint a.yaml --model-config config.json", 2, err=("config.json: no such file",)),
    "a model that is none": Case(
        "lint a.yaml --model-config m.json", 2, err=("m.json: not a mapping",), files={**A, "m.json": "[]"}
    ),
    "a release": Case("lint a.yaml --accelerate-version new", 2, err=("`new` is not a version",)),
}


@pytest.fixture(autouse=True)
def _no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_WORKFLOW", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path) -> None:
    check(CASES[name], tmp_path)


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)


def test_a_config_in_another_encoding(tmp_path: Path) -> None:
    """It is not passed over, and the other files are reported all the same."""
    write(tmp_path, a=BAD)
    (tmp_path / "b.yaml").write_bytes(FSDP1.replace("one node", "Kn\u00f6del").encode("latin-1"))
    (tmp_path / "c.yaml").write_bytes("name: Kn\u00f6del\n".encode("latin-1"))
    (tmp_path / "d.json").write_bytes(b"\0\1")
    done = run(tmp_path, "lint")
    assert (done.status, done.out) == (2, LINE)
    assert "error: b.yaml: not UTF-8 text: byte 0xf6 on line 1\n  hint: save it as UTF-8" in done.err
    assert "(2 files are not Accelerate or DeepSpeed configs)" in done.err


def test_info_is_shown_when_asked_for(tmp_path: Path) -> None:
    """Whatever is info: by --severity, or by the code of the rule."""
    write(tmp_path, a=ZERO3, b=FSDP1, c=IDLE)
    found = json.loads(run(tmp_path, "lint", "--severity", "info", "--output-format", "json").out)["diagnostics"]
    codes = sorted({each["code"] for each in found if each["severity"] == "info"})
    assert codes, "no rule of the severity info speaks of these files"
    assert run(tmp_path, "lint", "--select", codes[0][:5]).out.count(codes[0]) == 0
    by_code = run(tmp_path, "lint", "--select", codes[0])
    assert codes[0] in by_code.out
    assert by_code.status == 0
    assert run(tmp_path, "lint", "--select", codes[0], "--fail-on", "info").status == 1


def test_two_files_that_name_one_json(tmp_path: Path) -> None:
    """What is wrong in the JSON is told once, and it counts for each of them."""
    write(tmp_path, a=WITH_FILE, b=WITH_FILE)
    (tmp_path / "ds.json").write_text(JSON)
    done = run(tmp_path, "lint", "a.yaml", "b.yaml", "--select", "FSDS102")
    assert done.status == 1
    assert [line.split(": ")[0] for line in done.out.splitlines()] == ["ds.json:1:2"]
    everything = run(tmp_path, "lint", "--select", "FSDS102")
    assert everything.out == done.out
    assert "1 warning" in everything.err


@pytest.mark.parametrize("seed", range(3))
def test_order_of_the_files_and_the_processes(seed: int, tmp_path: Path) -> None:
    """pre-commit splits the names over processes, in any order."""
    names = [f"{number}.yaml" for number in range(12)]
    for name in names:
        (tmp_path / name).write_text(BAD if int(name[:-5]) % 2 else REFUSED)
    whole = run(tmp_path, "lint").out.splitlines()
    random.Random(seed).shuffle(names)
    parts = [run(tmp_path, "lint", *names[:5]), run(tmp_path, "lint", *names[5:])]
    assert sorted(line for part in parts for line in part.out.splitlines()) == sorted(whole)
    assert len(whole) == 12


def test_github_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a=BAD)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert run(tmp_path, "lint").out == LINE
    monkeypatch.setenv("GITHUB_WORKFLOW", "ci")
    assert run(tmp_path, "lint").out.startswith("::warning title=fsds (FSDS102),file=a.yaml,line=8,")
    assert run(tmp_path, "lint", "--output-format", "concise").out == LINE


def test_a_bug(tmp_path: Path) -> None:
    write(tmp_path, a=BAD)
    with patch("fsds_convert.lint.lint_file.check", side_effect=KeyError("x")):
        done = run(tmp_path, "lint")
    assert (done.status, done.out) == (3, "")
    assert "has a bug: KeyError: 'x'" in done.err
