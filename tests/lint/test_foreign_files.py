"""Files of other tools, which share words with DeepSpeed's: a hook is given them all, and none of them is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsds_convert.lint.lint_file import fix
from fsds_convert.lint.select import Selection
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source

FILES = sorted((Path(__file__).parent / "foreign").iterdir())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_passed_over(path: Path) -> None:
    assert fix(read_source(str(path)), Context(), Selection(), unsafe=True) is None
