"""`fsds lint --fix`, `--diff` and `--add-ignore`: what is written, and that nothing else is touched."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .case import Case, check
from .command import run
from .configs import FSDP1

BAD = FSDP1.replace("fsdp_sharding_strategy", "fsdp_shardng_strategy")
REFUSED = FSDP1.replace("num_machines", "num_machnes")
# the sharding strategy that is written would run: FULL_SHARD runs before
UNSAFE = FSDP1.replace("fsdp_sharding_strategy: FULL_SHARD", "fsdp_shardng_strategy: SHARD_GRAD_OP")
MENDED = UNSAFE.replace("shardng", "sharding")
FIXED = "1 finding fixed in 1 file. All checks passed: 1 file.\n"
A = {"a.yaml": BAD}

CASES = {
    "a safe fix": Case("lint --fix", err=(FIXED,), files=A, after={"a.yaml": FSDP1}),
    "a file that upstream refused": Case(
        "lint --fix", err=(FIXED,), files={"a.yaml": REFUSED}, after={"a.yaml": FSDP1}
    ),
    "nothing to fix": Case("lint --fix", err=("All checks passed: 1 file.\n",)),
    "an unsafe fix": Case(
        "lint --fix",
        1,
        out=("FSDS102 unknown key",),
        err=("1 fixable with --fix --unsafe-fixes.\n",),
        files={"a.yaml": UNSAFE},
    ),
    "an unsafe fix that is wanted": Case(
        "lint --fix --unsafe-fixes", err=(FIXED,), files={"a.yaml": UNSAFE}, after={"a.yaml": MENDED}
    ),
    "without --fix nothing is written": Case("lint --unsafe-fixes", 1, out=("FSDS102",), err=("1 warning",), files=A),
    "several files": Case(
        "lint --fix a.yaml b.yaml c.yaml",
        err=("2 findings fixed in 2 files. All checks passed: 3 files.\n",),
        files={**A, "b.yaml": FSDP1, "c.yaml": REFUSED},
        after={"a.yaml": FSDP1, "c.yaml": FSDP1},
    ),
    "what is not selected stays": Case("lint --fix --select FSDS101", err=("All checks passed",), files=A),
    "what is ignored stays": Case("lint --fix --ignore FSDS102", err=("All checks passed",), files=A),
    "what is suppressed stays": Case(
        "lint --fix", err=("1 suppressed",), files={"a.yaml": BAD.replace("# everything", "# fsds: ignore[FSDS102] x")}
    ),
    "a suppression without need goes": Case(
        "lint --fix",
        err=(FIXED,),
        files={"a.yaml": FSDP1.replace("# all of them", "# fsds: ignore[FSDS102] x")},
        after={"a.yaml": FSDP1.replace("  # all of them", "")},
    ),
    "exit with non-zero on a fix": Case(
        "lint --fix --exit-non-zero-on-fix", 1, err=(FIXED,), files=A, after={"a.yaml": FSDP1}
    ),
    "exit with non-zero on a fix, without one": Case("lint --fix --exit-non-zero-on-fix", err=("All checks passed",)),
    "a missing file, and one that is fixed": Case(
        "lint --fix none.yaml a.yaml",
        2,
        err=("error: none.yaml: no such file", FIXED),
        files=A,
        after={"a.yaml": FSDP1},
    ),
    # stdin
    "stdin": Case("lint --fix -", out=(FSDP1,), err=(FIXED,), stdin=BAD),
    "stdin with nothing to fix": Case("lint --fix -", out=(FSDP1,), err=("All checks passed",), stdin=FSDP1),
    "stdin with something left": Case(
        "lint --fix - --stdin-filename b.yaml", 1, out=(UNSAFE,), err=("b.yaml:8:3: FSDS102", "1 warning"), stdin=UNSAFE
    ),
    "stdin that is no config": Case("lint --fix -", 2, err=("stdin is no config",), stdin="a: 1\n"),
    "stdin with findings in a file": Case(
        "lint --fix - -o out.txt",
        1,
        out=(UNSAFE,),
        err=("1 warning",),
        stdin=UNSAFE,
        after={"out.txt": "<stdin>:8:3: FSDS102"},
    ),
    # --diff
    "a diff": Case(
        "lint --diff",
        1,
        out=("-  fsdp_shardng_strategy", "+  fsdp_sharding_strategy"),
        err=("1 fix in 1 file\n",),
        files=A,
    ),
    "a diff without fixes": Case("lint --diff", err=("0 fixes in 0 files\n",)),
    "a diff of unsafe fixes": Case(
        "lint --diff --unsafe-fixes",
        1,
        out=("+  fsdp_sharding_strategy: SHARD",),
        err=("1 fix",),
        files={"a.yaml": UNSAFE},
    ),
    "a diff writes nothing": Case("lint --diff --fix", 1, out=("--- a.yaml\n+++ a.yaml\n",), err=("1 fix",), files=A),
    "a diff of stdin": Case(
        "lint --diff - --stdin-filename b.yaml", 1, out=("--- b.yaml\n",), err=("1 fix",), stdin=BAD
    ),
    "a diff, and exit with zero": Case("lint --diff --exit-zero", out=("--- a.yaml",), err=("1 fix",), files=A),
    # --add-ignore
    "suppressed from now on": Case(
        "lint --add-ignore 'a fork reads it'",
        err=("suppressed 1 finding\n",),
        files=A,
        after={
            "a.yaml": "  # fsds: ignore[FSDS102] a fork reads it\n  fsdp_shardng_strategy: FULL_SHARD  # everything\n"
        },
    ),
    "nothing to suppress": Case("lint --add-ignore x", err=("suppressed 0 findings\n",)),
    "JSON has no comments": Case(
        "lint --add-ignore x a.json",
        err=("suppressed 0 findings\n", "more stand in JSON, which holds no comments: use per-file-ignores\n"),
        files={"a.json": '{"distributed_type": "FSDP", "num_machnes": 1, "num_processes": 8, "fsdp_config": {"x": 1}}'},
    ),
    "an empty reason": Case("lint --add-ignore ' '", 2, err=("--add-ignore has an empty reason",), files=A),
    "a reason and a fix": Case("lint --add-ignore x --fix", 2, err=("are both given",), files=A),
    "a reason for stdin": Case("lint --add-ignore x -", 2, err=("stdin cannot be written over",), files=A, stdin=BAD),
}


@pytest.fixture(autouse=True)
def _no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_WORKFLOW", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path) -> None:
    check(CASES[name], tmp_path)


# how a text is kept, and whether upstream reads it: what is around it stays, to the byte
WAYS: dict[str, tuple[Callable[[str], bytes], bool]] = {
    "CRLF": (lambda text: text.replace("\n", "\r\n").encode(), True),
    "CR": (lambda text: text.replace("\n", "\r").encode(), True),
    "byte-order mark": (lambda text: b"\xef\xbb\xbf" + text.encode(), True),
    "no line break at the end": (lambda text: text.rstrip("\n").encode(), True),
    "UTF-16": (lambda text: text.encode("utf-16"), False),
    "UTF-16, big end first": (lambda text: b"\xfe\xff" + text.encode("utf-16-be"), False),
    "blanks at the ends of lines": (lambda text: text.replace("\n", "   \n").encode(), True),
    "emoji and accents": (lambda text: text.replace("one node", "\U0001f600 \u00e9").encode(), True),
    "blank lines": (lambda text: f"\n\n{text}\n\n".encode(), True),
    "a document of its own": (lambda text: f"%YAML 1.1\n---\n{text}...\n".encode(), True),
}


@pytest.mark.parametrize("name", WAYS)
def test_all_else_stays(name: str, tmp_path: Path) -> None:
    way, is_read = WAYS[name]
    path = tmp_path / "a.yaml"
    path.write_bytes(way(BAD))
    done = run(tmp_path, "lint", "--fix", "a.yaml")
    assert path.read_bytes() == way(FSDP1)
    assert (done.status == 0) == is_read, done.out
    piped = run(tmp_path, "lint", "--fix", "-", stdin=way(BAD))
    assert piped.raw == way(FSDP1)


@pytest.mark.parametrize("name", ["CRLF", "no line break at the end", "emoji and accents", "blank lines"])
def test_patch_applies(name: str, tmp_path: Path) -> None:
    if not shutil.which("git"):
        pytest.skip("needs git")
    way, _ = WAYS[name]
    (tmp_path / "conf").mkdir()
    path = tmp_path / "conf" / "a.yaml"
    path.write_bytes(way(BAD))
    patch = run(tmp_path, "lint", "--diff").raw
    assert path.read_bytes() == way(BAD)
    subprocess.run(["git", "apply", "-p0", "-"], cwd=tmp_path, input=patch, check=True)
    assert path.read_bytes() == way(FSDP1)


@pytest.mark.parametrize("name", WAYS)
def test_add_ignore_then_clean(name: str, tmp_path: Path) -> None:
    way, is_read = WAYS[name]
    path = tmp_path / "a.yaml"
    path.write_bytes(way(BAD))
    ignored = run(tmp_path, "lint", "--add-ignore", "for\nnow")
    assert (ignored.status, ignored.out) == (0, "")
    after = run(tmp_path, "lint")
    assert (after.status, after.out) == (0, "")
    assert "suppressed" in after.err
    comment = "# fsds: ignore[FSDS102] for now"
    place = "  fsdp_shardng_strategy"
    if is_read and "blanks" not in name:
        assert path.read_bytes() == way(BAD.replace(place, f"  {comment}\n{place}"))
    again = path.read_bytes()
    run(tmp_path, "lint", "--add-ignore", "again")
    assert path.read_bytes() == again


def test_add_ignore_for_the_file(tmp_path: Path) -> None:
    """What stands nowhere in the text, or in a comment, is suppressed by a line at the top."""
    (tmp_path / "a.yaml").write_bytes(FSDP1.encode("utf-16"))
    run(tmp_path, "lint", "--add-ignore", "x")
    assert (tmp_path / "a.yaml").read_bytes() == f"# fsds: ignore-file[FSDS006] x\n{FSDP1}".encode("utf-16")


def test_add_ignore_where_there_is_no_comment_yet(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BAD.replace("  # everything", ""))
    run(tmp_path, "lint", "--add-ignore", "x")
    line = "  fsdp_shardng_strategy: FULL_SHARD  # fsds: ignore[FSDS102] x\n"
    assert line in (tmp_path / "a.yaml").read_text()
    assert run(tmp_path, "lint").status == 0


@pytest.mark.parametrize("options", [("--fix",), ("--fix", "--unsafe-fixes")])
def test_fixes_that_would_write_the_same_key(options: tuple[str, ...], tmp_path: Path) -> None:
    """Made at once, both would be right by themselves and wrong together."""
    twice = BAD.replace(
        "  fsdp_shardng_strategy: FULL_SHARD  # everything\n", "  fsdp_shardng_strategy: FULL_SHARD\n" * 2
    )
    (tmp_path / "a.yaml").write_text(twice.replace("shardng", "shardig", 1))
    run(tmp_path, "lint", *options)
    written = (tmp_path / "a.yaml").read_text()
    assert written.count("fsdp_sharding_strategy") == 1
    assert "FSDS002" not in run(tmp_path, "lint").out


def test_fixing_twice_changes_nothing_more(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(UNSAFE + REFUSED.splitlines()[2] + "\n")
    run(tmp_path, "lint", "--fix", "--unsafe-fixes")
    once = (tmp_path / "a.yaml").read_bytes()
    second = run(tmp_path, "lint", "--fix", "--unsafe-fixes", "--exit-non-zero-on-fix")
    assert "fixed" not in second.err
    assert (tmp_path / "a.yaml").read_bytes() == once


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_write_protected_folder(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "a.yaml").write_text(BAD)
    (tmp_path / "b.yaml").write_text(BAD)
    (tmp_path / "conf").chmod(0o500)
    done = run(tmp_path, "lint", "--fix")
    (tmp_path / "conf").chmod(0o700)
    assert_unwritten(done.status, done.out, done.err, tmp_path)


def test_file_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are fixed, and its findings are told as they are."""
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "a.yaml").write_text(BAD)
    (tmp_path / "b.yaml").write_text(BAD)
    (tmp_path / "conf" / "a.yaml").chmod(0o400)
    real = os.access
    # root may write everywhere
    monkeypatch.setattr(os, "access", lambda path, mode: "conf" not in str(path) and real(path, mode))
    done = run(tmp_path, "lint", "--fix")
    assert_unwritten(done.status, done.out, done.err, tmp_path)


def assert_unwritten(status: int, out: str, err: str, folder: Path) -> None:
    assert status == 2
    assert out.startswith("conf/a.yaml:8:3: FSDS102 [*]")
    assert len(out.splitlines()) == 1
    assert "1 finding fixed in 1 file. 1 warning in 1 of 2 files. 1 fixable with --fix.\n" in err
    assert "error: conf/a.yaml: is write-protected" in err or "error: conf/a.yaml: cannot be written" in err
    assert (folder / "b.yaml").read_text() == FSDP1
    assert (folder / "conf" / "a.yaml").read_text() == BAD


@pytest.mark.skipif(os.name == "nt", reason="links and modes of POSIX")
def test_link_and_mode_stay(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text(BAD)
    (tmp_path / "real.txt").chmod(0o640)
    (tmp_path / "a.yaml").symlink_to("real.txt")
    assert run(tmp_path, "lint", "--fix").status == 0
    assert (tmp_path / "a.yaml").is_symlink()
    assert (tmp_path / "real.txt").read_text() == FSDP1
    assert (tmp_path / "real.txt").stat().st_mode & 0o777 == 0o640


def test_one_file_under_two_names(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BAD)
    done = run(tmp_path, "lint", "a.yaml", "./a.yaml", ".", "--fix")
    assert done.err == FIXED
    assert (tmp_path / "a.yaml").read_text() == FSDP1


def test_json_that_a_config_names_is_fixed_with_it(tmp_path: Path) -> None:
    config = "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n"
    (tmp_path / "a.yaml").write_text(config)
    (tmp_path / "ds.json").write_text(
        '{"zero_optimization": {"stagee": 2, "stage": 2}, "train_micro_batch_size_per_gpu": 1}'
    )
    assert "ds.json:1:24: FSDS101" in run(tmp_path, "lint", "a.yaml", "--fix").out
    assert "stagee" in (tmp_path / "ds.json").read_text(), "only what is named is written"
