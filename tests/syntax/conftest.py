from __future__ import annotations

from typing import Any

import pytest

from fsds_convert.syntax.yaml_loader import PureLoader, loader_class


@pytest.fixture(params=["c", "pure"])
def loader(request: pytest.FixtureRequest) -> Any:
    if request.param == "c" and loader_class() is PureLoader:
        pytest.skip("PyYAML without libyaml")
    return PureLoader if request.param == "pure" else loader_class()
