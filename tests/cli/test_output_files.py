"""Converted files: where they go, that nothing is lost or half-written, and that the same input gives the same."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from .case import Case, check
from .command import run, spawn
from .configs import DEEPSPEED_JSON, FSDP1, FSDP2, HYBRID, WITH_FILE, ZERO3

QUIET = "convert a.yaml --report none"
ALWAYS = "--to deepspeed --deepspeed-json always"
STAGE3 = "zero_stage: 3"
JSON3 = '"stage": 3'
NAMES = "deepspeed_config_file: {}\n"
ONE_FILE = ("the settings do not fit into one file", "give -o FILE")
EXISTS = "exists already\n  hint: name another file, or add --overwrite"
REFUSED = ("nothing written: at least one setting is refused or worse", "--allow-lossy")
UNKNOWN_KEY = DEEPSPEED_JSON.replace('"stage"', '"stge": 2, "stage"')

CASES = {
    "to stdout": Case(f"{QUIET} --to deepspeed", out=(STAGE3,)),
    "to stdout by name": Case(f"{QUIET} --to deepspeed -o -", out=(STAGE3,)),
    "stdin to stdout": Case("convert - --to deepspeed --report none", out=(STAGE3,), stdin=FSDP1),
    "to a file": Case(f"{QUIET} --to deepspeed -o b.yaml", err=("wrote b.yaml\n",), after={"b.yaml": STAGE3}),
    "stdin to a file": Case(
        "convert - --to deepspeed --report none -o b.yaml",
        err=("wrote b.yaml\n",),
        after={"b.yaml": STAGE3},
        stdin=FSDP1,
    ),
    "to a file in a folder": Case(
        f"{QUIET} --to deepspeed -o conf/b.yaml",
        err=("wrote conf/b.yaml\n",),
        files={"a.yaml": FSDP1, "conf/x": ""},
        after={"conf/b.yaml": STAGE3},
    ),
    "to a file that exists": Case(
        f"{QUIET} --to deepspeed -o b.yaml",
        2,
        err=(f"error: b.yaml: {EXISTS}",),
        files={"a.yaml": FSDP1, "b.yaml": "old"},
    ),
    "over a file that exists": Case(
        f"{QUIET} --to deepspeed -o b.yaml --overwrite",
        err=("wrote b.yaml\n",),
        files={"a.yaml": FSDP1, "b.yaml": "old"},
        after={"b.yaml": STAGE3},
    ),
    "to the source": Case(f"{QUIET} --to deepspeed -o a.yaml", 2, err=(f"error: a.yaml: {EXISTS}",)),
    "over the source": Case(
        f"{QUIET} --to deepspeed -o ./a.yaml --overwrite", err=("wrote ./a.yaml\n",), after={"a.yaml": STAGE3}
    ),
    "in place": Case(f"{QUIET} --to deepspeed --in-place", err=("wrote a.yaml\n",), after={"a.yaml": STAGE3}),
    "in place, nothing to do": Case(f"{QUIET} --to fsdp1 --in-place", err=("wrote a.yaml\n",)),
    "in a folder that is missing": Case(
        f"{QUIET} --to deepspeed -o conf/b.yaml",
        2,
        err=("error: conf/b.yaml: cannot be written: No such file or directory",),
    ),
    "below a file": Case(
        f"{QUIET} --to deepspeed -o a.yaml/b.yaml", 2, err=("a.yaml/b.yaml: cannot be written: Not a dir",)
    ),
    "to this folder": Case(f"{QUIET} --to deepspeed -o .", 2, err=("error: .: not a regular file",)),
    "to a folder": Case(
        f"{QUIET} --to deepspeed -o conf",
        2,
        err=("error: conf: not a regular file",),
        files={"a.yaml": FSDP1, "conf/x": ""},
    ),
    "to the root": Case(f"{QUIET} --to deepspeed -o /", 2, err=("error: /: not a regular file",)),
    "to no name": Case(f"{QUIET} --to deepspeed -o ''", 2, err=("error: ",)),
    "to a name that is too long": Case(
        f"{QUIET} --to deepspeed -o {'b' * 3000}", 2, err=("cannot be written: File name too",)
    ),
    "to a device": Case(
        f"{QUIET} --to deepspeed -o /dev/null --overwrite", 2, err=("error: /dev/null: not a regular file",)
    ),
    "refused": Case("convert a.yaml --to deepspeed --report none", 1, err=REFUSED, files={"a.yaml": HYBRID}),
    "refused in place": Case(f"{QUIET} --to deepspeed --in-place", 1, err=REFUSED, files={"a.yaml": HYBRID}),
    "refused over another file": Case(
        f"{QUIET} --to deepspeed -o b.yaml --overwrite", 1, err=REFUSED, files={"a.yaml": HYBRID, "b.yaml": "old"}
    ),
    "refused difference": Case(f"{QUIET} --to deepspeed --diff", 1, err=REFUSED, files={"a.yaml": HYBRID}),
    "two files": Case(
        f"{QUIET} {ALWAYS} -o b.yaml",
        err=("wrote b.json\nwrote b.yaml\n",),
        after={"b.yaml": NAMES.format("b.json"), "b.json": JSON3},
    ),
    "two files to stdout": Case(f"{QUIET} {ALWAYS}", 2, err=ONE_FILE),
    "two files from stdin to stdout": Case(f"convert - --report none {ALWAYS}", 2, err=ONE_FILE, stdin=FSDP1),
    "two files in a folder": Case(
        f"{QUIET} {ALWAYS} -o conf/b.yaml",
        err=("wrote conf/b.json\nwrote conf/b.yaml\n",),
        files={"a.yaml": FSDP1, "conf/x": ""},
        after={"conf/b.yaml": NAMES.format("conf/b.json"), "conf/b.json": JSON3},
    ),
    "two files in place": Case(
        f"{QUIET} {ALWAYS} --in-place",
        err=("wrote a.json\nwrote a.yaml\n",),
        after={"a.yaml": NAMES.format("a.json"), "a.json": JSON3},
    ),
    "two files, the JSON exists": Case(
        f"{QUIET} {ALWAYS} -o b.yaml", 2, err=(f"error: b.json: {EXISTS}",), files={"a.yaml": FSDP1, "b.json": "{}"}
    ),
    "two files, the YAML exists": Case(
        f"{QUIET} {ALWAYS} -o b.yaml", 2, err=(f"error: b.yaml: {EXISTS}",), files={"a.yaml": FSDP1, "b.yaml": "old"}
    ),
    "two files, both exist": Case(
        f"{QUIET} {ALWAYS} -o b.yaml", 2, err=(EXISTS,), files={"a.yaml": FSDP1, "b.yaml": "old", "b.json": "{}"}
    ),
    "two files over both": Case(
        f"{QUIET} {ALWAYS} -o b.yaml --overwrite",
        err=("wrote b.json\nwrote b.yaml\n",),
        files={"a.yaml": FSDP1, "b.yaml": "old", "b.json": "{}"},
        after={"b.yaml": NAMES.format("b.json"), "b.json": JSON3},
    ),
    "two files in place, beside a JSON of another": Case(
        f"{QUIET} {ALWAYS} --in-place", 2, err=(f"error: a.json: {EXISTS}",), files={"a.yaml": FSDP1, "a.json": "{}"}
    ),
    "two files that do not fit inline": Case(
        f"{QUIET} --to deepspeed --allow-lossy -o b.yaml",
        err=("wrote b.json\nwrote b.yaml\n",),
        files={"a.yaml": HYBRID},
        after={"b.yaml": NAMES.format("b.json"), "b.json": '"zero_hpz_partition_size": 4'},
    ),
    "two files for memory-constrained mode": Case(
        f"{QUIET} --to deepspeed --model-dtype bf16 -o b.yaml",
        err=("wrote b.json\nwrote b.yaml\n",),
        files={"a.yaml": FSDP1.replace("bf16", "'no'")},
        after={"b.yaml": NAMES.format("b.json"), "b.json": '"bf16_master_weights_and_grads": true'},
    ),
    "never two files": Case(
        f"{QUIET} --to deepspeed --model-dtype bf16 --deepspeed-json never",
        1,
        err=REFUSED,
        files={"a.yaml": FSDP1.replace("bf16", "'no'")},
    ),
    "JSON alone": Case(f"{QUIET} --to deepspeed-json -o b.json", err=("wrote b.json\n",), after={"b.json": JSON3}),
    "YAML named like a JSON": Case(
        f"{QUIET} {ALWAYS} -o b.json --overwrite",
        err=("wrote b_deepspeed.json\nwrote b.json\n",),
        after={"b.json": "b_deepspeed.json", "b_deepspeed.json": JSON3},
    ),
    "named file, to FSDP": Case(
        f"{QUIET} --to fsdp2 -o b.yaml",
        err=("wrote b.yaml\n",),
        files={"a.yaml": WITH_FILE, "ds.json": DEEPSPEED_JSON},
        after={"b.yaml": "fsdp_reshard_after_forward: true"},
    ),
    "named file goes on being named": Case(
        f"{QUIET} --to deepspeed -o b.yaml",
        err=("wrote b.yaml\n",),
        files={"a.yaml": WITH_FILE, "ds.json": DEEPSPEED_JSON},
        after={"b.yaml": WITH_FILE},
    ),
    "named file to inline": Case(
        f"{QUIET} --to deepspeed --deepspeed-json never",
        out=(STAGE3, "mixed_precision: bf16"),
        files={"a.yaml": WITH_FILE, "ds.json": DEEPSPEED_JSON},
    ),
    "JSON that is named where it lies": Case(
        "convert ds.json --to deepspeed --deepspeed-json always --report none",
        out=(NAMES.format("ds.json"),),
        files={"ds.json": DEEPSPEED_JSON},
    ),
    "JSON that does not launch is not written over": Case(
        "convert ds.json --to deepspeed --deepspeed-json always --report none -o ds.yaml --overwrite",
        err=("ds.json:1:51: error[FSDS101]", "wrote ds_deepspeed.json\nwrote ds.yaml\n"),
        files={"ds.json": UNKNOWN_KEY},
        after={"ds.yaml": NAMES.format("ds_deepspeed.json"), "ds_deepspeed.json": JSON3},
    ),
    "named file in place": Case(
        f"{QUIET} --to deepspeed --in-place",
        err=("a.json:1:51: error[FSDS101]", "wrote a.json\nwrote a.yaml\n"),
        files={"a.yaml": WITH_FILE.replace("ds.json", "a.json"), "a.json": UNKNOWN_KEY},
        after={"a.json": '  "zero_optimization": {\n    "stage": 3,'},
    ),
    "check before": Case(f"{QUIET} --to deepspeed --check -o b.yaml", 1, err=("b.yaml: is not there\n",)),
    "check of another": Case(
        f"{QUIET} --to deepspeed --check -o b.yaml",
        1,
        err=("b.yaml: is not what a.yaml converts to\n",),
        files={"a.yaml": FSDP1, "b.yaml": ZERO3},
    ),
    "check of the source": Case(
        f"{QUIET} --to deepspeed --check", 1, err=("a.yaml: is not what a.yaml converts to\n",)
    ),
    "check in place": Case(
        f"{QUIET} --to deepspeed --check --in-place", 1, err=("a.yaml: is not what a.yaml converts",)
    ),
    "check of what is there": Case(f"{QUIET} --to fsdp1 --check"),
    "check of stdin": Case("convert - --to fsdp1 --check --report none", stdin=FSDP1),
    "check of stdin by name": Case(
        "convert - --to fsdp2 --check --report none --stdin-filename x.yaml",
        1,
        err=("x.yaml: is not what x.yaml",),
        stdin=FSDP1,
    ),
    "check of a folder": Case(
        f"{QUIET} --to deepspeed --check -o conf",
        2,
        err=("error: conf: a folder",),
        files={"a.yaml": FSDP1, "conf/x": ""},
    ),
    "check of two files": Case(
        f"{QUIET} {ALWAYS} --check -o b.yaml",
        1,
        err=("b.json: is not there\n", "b.yaml: is not what"),
        files={"a.yaml": FSDP1, "b.yaml": ""},
    ),
    "difference": Case(
        f"{QUIET} --to deepspeed --diff", 1, out=("--- a.yaml\n+++ a.yaml\n@@ ", f"\n+  {STAGE3}  # everything\n")
    ),
    "no difference": Case(f"{QUIET} --to fsdp1 --diff"),
    "difference to no file": Case(
        f"{QUIET} --to deepspeed --diff -o b.yaml", 1, out=("--- /dev/null\n+++ b.yaml\n@@ -0,0 +1",)
    ),
    "difference of stdin": Case(
        "convert - --to deepspeed --diff --report none --stdin-filename x.yaml",
        1,
        out=("--- x.yaml\n+++ x.yaml\n",),
        stdin=FSDP1,
    ),
    "difference of two files": Case(
        f"{QUIET} {ALWAYS} --diff",
        1,
        out=("--- /dev/null\n+++ a.json\n", "--- a.yaml\n+++ a.yaml\n", NAMES.format("a.json")),
    ),
    "stdin with the name of a folder": Case(
        "convert - --to deepspeed --report none --stdin-filename conf/x.yaml -o b.yaml",
        err=("wrote b.yaml\n",),
        after={"b.yaml": STAGE3},
        stdin=FSDP1,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path) -> None:
    check(CASES[name], tmp_path)
    assert list(tmp_path.rglob(".fsds-*")) == []


SOURCES = {"fsdp1": FSDP1, "fsdp2": FSDP2, "deepspeed": ZERO3}


@pytest.mark.parametrize("to", ["fsdp1", "fsdp2", "deepspeed", "deepspeed-json"])
@pytest.mark.parametrize("source", SOURCES)
def test_stdout_file_and_place_get_the_same_bytes(source: str, to: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SOURCES[source])
    first = run(tmp_path, "convert", "a.yaml", "--to", to)
    assert run(tmp_path, "convert", "a.yaml", "--to", to) == first
    assert run(tmp_path, "convert", "-", "--to", to, stdin=SOURCES[source].encode()).raw == first.raw
    assert run(tmp_path, "convert", "a.yaml", "--to", to, "-o", "b.yaml", "--report", "none").status == 0
    assert (tmp_path / "b.yaml").read_bytes() == first.raw
    assert run(tmp_path, "convert", "a.yaml", "--to", to, "-o", "b.yaml", "--check", "--report", "none").status == 0
    assert run(tmp_path, "convert", "a.yaml", "--to", to, "--in-place", "--report", "none").status == 0
    assert (tmp_path / "a.yaml").read_bytes() == first.raw


@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_stdin_is_bytes(start: str, tmp_path: Path) -> None:
    content = f"{start}# \u6f22\n{FSDP1}".replace("\n", "\r\n").encode()
    done = spawn(tmp_path, "convert", "-", "--to", "deepspeed", "--report", "none", stdin=content)
    assert (done.status, done.err) == (0, "")
    assert done.raw.startswith(f"{start}# \u6f22\r\n# one node\r\n".encode())
    assert b"\n" not in done.raw.replace(b"\r\n", b"")


def test_working_directory_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "a.yaml").write_text(FSDP1)
    from_above = run(tmp_path, "convert", os.path.join("conf", "a.yaml"), "--to", "deepspeed")
    from_inside = run(tmp_path / "conf", "convert", "a.yaml", "--to", "deepspeed")
    absolute = run(tmp_path, "convert", str(tmp_path / "conf" / "a.yaml"), "--to", "deepspeed")
    assert from_above.raw == from_inside.raw == absolute.raw
    assert from_above.err.replace("conf/a.yaml", "a.yaml") == from_inside.err


def test_check_holds_until_the_source_changes(tmp_path: Path) -> None:
    source = tmp_path / "a.yaml"
    source.write_text(FSDP1)
    command = ["convert", "a.yaml", "--to", "deepspeed", "--deepspeed-json", "always", "-o", "b.yaml"]
    assert run(tmp_path, *command).status == 0
    assert run(tmp_path, *command, "--check").status == 0
    source.write_text(FSDP1.replace("num_processes: 8", "num_processes: 4"))
    assert run(tmp_path, *command, "--check").status == 1
    assert run(tmp_path, *command, "--overwrite").status == 0
    assert run(tmp_path, *command, "--check").status == 0
    (tmp_path / "b.json").write_text(DEEPSPEED_JSON)
    assert run(tmp_path, *command, "--check").status == 1


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_in_place_keeps_mode_and_link(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    real = tmp_path / "conf" / "real.yaml"
    real.write_text(FSDP1)
    real.chmod(0o640)
    (tmp_path / "a.yaml").symlink_to(real)
    assert run(tmp_path, "convert", "a.yaml", "--to", "deepspeed", "--in-place").status == 0
    assert (tmp_path / "a.yaml").is_symlink()
    assert STAGE3 in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_link_that_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(FSDP1)
    (tmp_path / "b.yaml").symlink_to(tmp_path / "real.yaml")
    command = ["convert", "a.yaml", "--to", "deepspeed", "-o", "b.yaml"]
    assert run(tmp_path, *command, "--check").status == 1
    assert run(tmp_path, *command).status == 0
    assert (tmp_path / "b.yaml").is_symlink()
    assert STAGE3 in (tmp_path / "real.yaml").read_text()


PATCHES = {
    "one file": (FSDP1, "--to deepspeed"),
    "two files": (FSDP1, ALWAYS),
    "new file": (FSDP1, "--to deepspeed -o b.yaml"),
    "carriage returns": (FSDP1.replace("\n", "\r\n"), "--to fsdp2"),
    "no line break at the end": (FSDP1[:-1], "--to deepspeed"),
    "letters of all kinds": (f"# \u00e9 \u6f22 \U0001f600 \x85 \u2028\n{FSDP1}", "--to fsdp2"),
}
APPLY = {"git": ["git", "apply", "-p0", "--whitespace=nowarn"], "patch": ["patch", "-p0", "--binary", "--quiet"]}


@pytest.mark.parametrize("tool", APPLY)
@pytest.mark.parametrize("case", PATCHES)
def test_difference_applies(case: str, tool: str, tmp_path: Path) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool}")
    text, options = PATCHES[case]
    before, after = tmp_path / "before", tmp_path / "after"
    for folder in (before, after):
        folder.mkdir()
        (folder / "a.yaml").write_bytes(text.encode())
    shown = run(before, "convert", "a.yaml", *options.split(), "--diff", "--report", "none")
    assert (shown.status, shown.err) == (1, "")
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path)}
    subprocess.run(APPLY[tool], cwd=before, input=shown.raw, env=environment, check=True)
    place = () if "-o" in options else ("--in-place",)
    assert run(after, "convert", "a.yaml", *options.split(), *place).status == 0
    assert contents(before) == contents(after)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("fails", [1, 2])
@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_write_that_fails_leaves_nothing_behind(
    error: BaseException, step: str, fails: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second rename cannot be undone by what is not there yet: the JSON is then whole, and nothing names it."""
    (tmp_path / "a.yaml").write_text(FSDP1)
    usual, calls = getattr(os, step), []

    def failing(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == fails:
            raise error
        return usual(*arguments)

    monkeypatch.setattr(os, step, failing)
    done = run(tmp_path, *f"{QUIET} {ALWAYS} -o b.yaml".split())
    monkeypatch.undo()
    if isinstance(error, OSError):
        assert (done.status, done.out) == (2, "")
        assert "cannot be written: No space left on device" in done.err
    else:
        assert (done.status, done.out) == (130, "")
    left = {"a.yaml", "b.json"} if (step, fails) == ("replace", 2) else {"a.yaml"}
    assert {path.name for path in tmp_path.iterdir()} == left
    assert (tmp_path / "a.yaml").read_text() == FSDP1


@pytest.mark.parametrize("to", ["fsdp1", "fsdp2", "deepspeed", "deepspeed-json"])
@pytest.mark.parametrize("source", ["a.yaml", "a.json"])
def test_format_of_the_output(source: str, to: str, tmp_path: Path) -> None:
    """That of the source on stdout, that of the name in a file; a DeepSpeed JSON whatever the source is."""
    data = yaml.safe_load(FSDP1)
    (tmp_path / source).write_text(json.dumps(data) if source == "a.json" else FSDP1)
    done = run(tmp_path, "convert", source, "--to", to, "--report", "none")
    assert done.out.startswith("{") == (source == "a.json" or to == "deepspeed-json")
    values = [json.loads(done.out) if done.out.startswith("{") else yaml.safe_load(done.out)]
    for name in ("b.json", "b.yaml", "b.yml", "b"):
        assert run(tmp_path, "convert", source, "--to", to, "--report", "none", "-o", name).status == 0
        text = (tmp_path / name).read_text()
        if to == "deepspeed-json" or name == "b":
            assert text == done.out
        else:
            assert text.startswith("{") == (name == "b.json")
        values.append(json.loads(text) if text.startswith("{") else yaml.safe_load(text))
    assert isinstance(values[0], dict)
    assert all(value == values[0] for value in values)
