"""Edits are spliced in, shown as a diff, and written whole or not at all."""

from __future__ import annotations

import itertools
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fsds_convert.errors import FsdsError
from fsds_convert.syntax.edits import Edit, apply, detect_newline, unified_diff, write_atomically


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], "abcdef"),
        ([Edit(0, 0, "X")], "Xabcdef"),
        ([Edit(6, 6, "X")], "abcdefX"),
        ([Edit(0, 6, "")], ""),
        ([Edit(1, 2, "XY"), Edit(2, 3, "Z")], "aXYZdef"),
        ([Edit(2, 2, "X"), Edit(2, 3, "Y"), Edit(0, 1, "")], "bXYdef"),
        ([Edit(1, 2, ""), Edit(2, 2, "X")], "aXcdef"),
    ],
)
def test_apply_in_any_order(edits: list[Edit], expected: str) -> None:
    for order in itertools.permutations(edits):
        assert apply("abcdef", order) == expected


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(0, 3, ""), Edit(2, 4, "")],
        [Edit(0, 3, ""), Edit(1, 1, "X")],
        [Edit(1, 1, "X"), Edit(1, 1, "Y")],
        [Edit(1, 2, "X"), Edit(1, 2, "X")],
        [Edit(1, 2, "X"), Edit(1, 3, "X")],
        [Edit(3, 2, "")],
        [Edit(-1, 2, "")],
        [Edit(5, 7, "")],
    ],
)
def test_edits_that_collide_or_lie_outside(edits: list[Edit]) -> None:
    for order in itertools.permutations(edits):
        with pytest.raises(ValueError, match=r"collides with|outside of"):
            apply("abcdef", order)


@pytest.mark.parametrize(
    ("text", "newline"),
    [("", "\n"), ("a", "\n"), ("a\nb\r\n", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\rb\r", "\r"), ("a\r\n", "\r\n")],
)
def test_detect_newline(text: str, newline: str) -> None:
    assert detect_newline(text) == newline


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        ("a\nb\n", "a\nb\n", ""),
        ("a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"),
        ("a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"),
        ("a\nb\n", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"),
        ("a\nb", "c\nb", "@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n"),
        ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
        ("a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"),
        ("a\x0cb\u2028c\n", "d\n", "@@ -1 +1 @@\n-a\x0cb\u2028c\n+d\n"),
    ],
)
def test_unified_diff(old: str, new: str, body: str) -> None:
    assert unified_diff(old, new, "old.yaml", "new.yaml") == (f"--- old.yaml\n+++ new.yaml\n{body}" if body else "")


TEXTS = st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\x0c", "é"]), max_size=30).map("".join)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@settings(max_examples=50, deadline=None)
@given(TEXTS.filter(bool), TEXTS.filter(bool))
def test_git_applies_the_diff(tmp_path_factory: pytest.TempPathFactory, old: str, new: str) -> None:
    assume(old != new)
    folder = tmp_path_factory.mktemp("apply")
    path = folder / "a.yaml"
    path.write_bytes(old.encode())
    diff = unified_diff(old, new, "a/a.yaml", "b/a.yaml")
    # outside of any repository, git takes the paths as they are
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(command, input=diff.encode(), cwd=folder, env=environment, check=True)
    assert path.read_bytes().decode() == new


def left_over(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(".fsds")]


@pytest.mark.parametrize(
    ("encoding", "bom", "content"),
    [
        ("utf-8", False, b"\xc3\xa9\r\n"),
        ("utf-8", True, b"\xef\xbb\xbf\xc3\xa9\r\n"),
        ("utf-16-le", True, b"\xff\xfe\xe9\0\r\0\n\0"),
    ],
)
def test_write(encoding: str, bom: bool, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    write_atomically(path, "é\r\n", encoding, bom, overwrite=False)
    assert path.read_bytes() == content
    assert left_over(tmp_path) == []


def test_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_atomically(tmp_path / "a.yaml", "a", "utf-8", False, overwrite=False)
    assert (tmp_path / "a.yaml").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_existing_file_is_replaced_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("old")
    path.chmod(0o640)
    with pytest.raises(FsdsError, match="exists already") as caught:
        write_atomically(path, "new", "utf-8", False, overwrite=False)
    assert caught.value.hint
    assert path.read_text() == "old"
    write_atomically(path, "new", "utf-8", False, overwrite=True)
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert left_over(tmp_path) == []


def test_link_stays_and_leads_to_the_new_content(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "a.yaml"
    target.write_text("old")
    link = tmp_path / "link.yaml"
    link.symlink_to(target)
    with pytest.raises(FsdsError, match=r"link\.yaml: exists already"):
        write_atomically(link, "new", "utf-8", False, overwrite=False)
    write_atomically(link, "new", "utf-8", False, overwrite=True)
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_atomically("a.yaml", "a", "utf-8", False, overwrite=False)
    assert (tmp_path / "a.yaml").read_text() == "a"


def test_folder_that_is_missing_or_in_the_way(tmp_path: Path) -> None:
    with pytest.raises(FsdsError, match=r"a\.yaml: cannot be written: No such file or directory"):
        write_atomically(tmp_path / "nowhere" / "a.yaml", "a", "utf-8", False, overwrite=True)
    with pytest.raises(FsdsError, match="not a regular file"):
        write_atomically(tmp_path, "a", "utf-8", False, overwrite=True)


def test_folder_and_file_that_are_write_protected(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("old")
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    if os.access(tmp_path, os.W_OK):
        pytest.skip("this user may write everywhere")
    with pytest.raises(FsdsError, match="write-protected"):
        write_atomically(path, "new", "utf-8", False, overwrite=True)
    with pytest.raises(FsdsError, match="cannot be written: Permission denied"):
        write_atomically(tmp_path / "b.yaml", "new", "utf-8", False, overwrite=True)


def test_character_that_cannot_be_encoded(tmp_path: Path) -> None:
    with pytest.raises(FsdsError, match=r"U\+D800 is no character of utf-8"):
        write_atomically(tmp_path / "a.yaml", "\ud800", "utf-8", False, overwrite=True)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), OSError(28, "No space left on device")])
@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
def test_interruption_leaves_the_old_file(
    step: str, interruption: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("old")

    def interrupt(*_: object) -> None:
        raise interruption

    monkeypatch.setattr(os, step, interrupt)
    with pytest.raises((KeyboardInterrupt, FsdsError)):
        write_atomically(path, "new", "utf-8", False, overwrite=True)
    assert path.read_text() == "old"
    assert left_over(tmp_path) == []
