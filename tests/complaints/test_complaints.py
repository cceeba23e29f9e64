"""What people reported in public threads, as files that show it; a case is added to `cases.yaml` without code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fsds_convert.diagnostics import Severity
from fsds_convert.lint.lint_file import fix
from fsds_convert.lint.select import Selection
from fsds_convert.syntax.read_file import read_source
from tests.rules.case import Files, place

CASES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_complaint(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every finding that is listed is told at its place, and their fixes give the fixed text."""
    monkeypatch.chdir(tmp_path)
    files = Files.of(case["file"], case.get("kind", "yaml"), case.get("options", {}))
    first = next(iter(files.texts))
    codes = {finding.split(" at ")[0] for finding in case["finds"]}
    found = [finding for finding in files.lint(tmp_path).findings if finding.diagnostic.code in codes]
    assert [f"{finding.diagnostic.code} at {place(finding, first)}" for finding in found] == case["finds"]
    only = Selection(select=tuple(sorted(codes)), severity=Severity.INFO)
    fixed = fix(read_source(first), files.context, only, unsafe=True)
    assert fixed is not None
    assert fixed.source.text == case.get("fixed", files.texts[first])
