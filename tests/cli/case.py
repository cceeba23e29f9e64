"""A call of `fsds` as data: the files before it, the arguments, and what must come of them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .command import Outcome, run
from .configs import FSDP1


@dataclass(frozen=True)
class Case:
    """`out` and `err` are parts of what is printed, none of it when empty; `after` parts of the files, None for none.

    Files that `after` does not name are as before, and no others are there.
    """

    command: str
    status: int = 0
    out: tuple[str, ...] = ()
    err: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=lambda: {"a.yaml": FSDP1})
    after: Mapping[str, str | None] = field(default_factory=dict)
    stdin: str = ""


def check(case: Case, folder: Path) -> Outcome:
    """Runs a case in an empty folder."""
    for name, text in case.files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    done = run(folder, *shlex.split(case.command), stdin=case.stdin.encode())
    assert done.status == case.status, done.err
    assert_parts(case.out, done.out)
    assert_parts(case.err, done.err)
    assert "Traceback" not in done.err
    there = {str(path.relative_to(folder)): path.read_bytes().decode() for path in folder.rglob("*") if path.is_file()}
    assert there.keys() == {*case.files, *case.after} - {name for name, part in case.after.items() if part is None}
    for name, text in there.items():
        expected = case.after.get(name)
        if expected is None:
            assert text == case.files[name]
        else:
            assert expected in text
    return done


def assert_parts(parts: tuple[str, ...], text: str) -> None:
    if not parts:
        assert text == ""
    assert [part for part in parts if part not in text] == []
