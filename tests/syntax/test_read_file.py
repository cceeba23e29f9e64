"""Files and standard input that can and cannot be read."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from fsds_convert.errors import InputError
from fsds_convert.syntax.limits import MAX_BYTES
from fsds_convert.syntax.read_file import read_source


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.yaml").write_bytes(b"a: 1\r\n")
    (tmp_path / "conf").mkdir()
    return tmp_path


def test_file(folder: Path) -> None:
    source = read_source("train.yaml")
    assert (source.name, source.path, source.text, source.format) == (
        "train.yaml",
        Path("train.yaml"),
        "a: 1\r\n",
        "yaml",
    )


@pytest.mark.parametrize(
    ("filename", "name", "format"),
    [(None, "<stdin>", "yaml"), ("conf/a.yaml", "conf/a.yaml", "yaml"), ("a.json", "a.json", "json")],
)
def test_standard_input(filename: str | None, name: str, format: str) -> None:
    source = read_source("-", io.BytesIO(b"a: 1"), filename)
    assert (source.name, source.path, source.format) == (name, None, format)


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("trian.yaml", "trian.yaml: no such file", "did you mean `train.yaml`?"),
        ("other.json", "other.json: no such file", "check the name, or give `-` for standard input"),
        (os.path.join("nowhere", "a.yaml"), "a.yaml: no such file", "there is no folder `nowhere`"),
        ("conf", "conf: a folder, not a file", "name a file in it"),
        ("a\0b", "cannot be read: embedded null byte", "check the name"),
        ("a" * 5000, "cannot be read: File name too long", "check the name"),
        (os.path.join("train.yaml", "b"), "cannot be read: Not a directory", "check the name"),
        ("", "no such file", "check the name, or give `-` for standard input"),
    ],
)
def test_unreadable(path: str, message: str, hint: str, folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_source(path)
    assert caught.value.message.endswith(message)
    assert (caught.value.hint, caught.value.path) == (hint, path)


def test_no_permission(folder: Path) -> None:
    (folder / "train.yaml").chmod(0)
    if os.access("train.yaml", os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(InputError, match=r"train\.yaml: no permission to read it"):
        read_source("train.yaml")


class Refusing(io.BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        raise PermissionError(13, "Permission denied")


def test_standard_input_that_cannot_be_read() -> None:
    with pytest.raises(InputError, match="<stdin>: no permission to read it"):
        read_source("-", Refusing())


def test_too_large(folder: Path) -> None:
    with open("train.yaml", "wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(InputError, match=r"train\.yaml: larger than 10 MB"):
        read_source("train.yaml")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_device_that_never_ends() -> None:
    with pytest.raises(InputError, match="larger than 10 MB"):
        read_source("/dev/zero")
