"""The blocks of experts that rules name, against the installed Transformers."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from fsds_convert.rules.checks.script_deepspeed import MOE_BLOCKS

FOUND = importlib.util.find_spec("transformers")


@pytest.mark.skipif(FOUND is None, reason="Transformers is not installed")
@pytest.mark.parametrize(("kind", "block"), MOE_BLOCKS.items())
def test_class_is_in_its_model(kind: str, block: str) -> None:
    assert FOUND is not None
    assert FOUND.origin is not None
    text = (Path(FOUND.origin).parent / "models" / kind / f"modeling_{kind}.py").read_text(encoding="utf-8")
    assert re.search(rf"^class {block}\(", text, re.MULTILINE)
