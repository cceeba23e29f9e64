"""Several processes give what one gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsds_convert.lint import processes
from fsds_convert.lint.run import run
from fsds_convert.lint.select import Selection
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source

GOOD = "distributed_type: FSDP\nnum_processes: 8\nfsdp_config: {fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP}\n"
TEXTS = (GOOD, GOOD.replace("wrap", "rwap"), "a: 1\n", GOOD.replace("8", "eight"), "distributed_type: [\n")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Of every kind, with one that is not there and one that is no text."""
    for number in range(60):
        (tmp_path / f"{number:03}.yaml").write_text(TEXTS[number % len(TEXTS)] + f"# {number}\n", encoding="utf-8")
    (tmp_path / "binary.yaml").write_bytes(b"distributed_type: \xff\xfe\n")
    return [*map(str, sorted(tmp_path.iterdir())), str(tmp_path / "absent.yaml")]


@pytest.mark.parametrize("fixes", ["none", "safe", "unsafe"])
def test_same_outcome(files: list[str], fixes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, errors = run(files, read_source, Context(), Selection(), fixes=fixes)
    monkeypatch.setattr(processes, "_WORTH_IT", 2)
    monkeypatch.setattr(processes.os, "cpu_count", lambda: 3)
    together, same_errors = run(files, read_source, Context(), Selection(), fixes=fixes)
    assert [report.source.name for report in together.files] == [report.source.name for report in alone.files]
    assert [report.source.text for report in together.files] == [report.source.text for report in alone.files]
    assert together.findings == alone.findings
    assert together.skipped == alone.skipped
    assert len(errors) == 2
    assert [(str(e), e.hint) for e in same_errors] == [(str(e), e.hint) for e in errors]
