from __future__ import annotations

import pytest

from fsds_convert.errors import ExitCode, FsdsError, InputError, TableError, UnknownName


@pytest.mark.parametrize(
    ("error", "message", "hint"),
    [
        (FsdsError("no files"), "no files", ""),
        (InputError("a.yaml", "no such file", "check the name"), "a.yaml: no such file", "check the name"),
        (UnknownName("dialect", "fsdp3", "fsdp2"), "unknown dialect `fsdp3`", "did you mean `fsdp2`?"),
        (UnknownName("dialect", "x"), "unknown dialect `x`", ""),
    ],
)
def test_message_and_hint(error: FsdsError, message: str, hint: str) -> None:
    assert (str(error), error.message, error.hint) == (message, message, hint)


def test_bug_in_a_table_is_not_the_users() -> None:
    assert not issubclass(TableError, FsdsError)


def test_exit_codes() -> None:
    codes = {"OK": 0, "FINDINGS": 1, "USAGE": 2, "BUG": 3, "UNRUNNABLE": 4, "INTERRUPTED": 130}
    assert {code.name: code.value for code in ExitCode} == codes
