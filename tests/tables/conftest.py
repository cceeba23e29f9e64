"""Thousands of files are asked about in one process: what upstream looks up anew for each is looked up once."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from functools import cache

import pytest


@pytest.fixture(autouse=True, scope="package")
def installed_packages() -> Iterator[None]:
    """Upstream parses the metadata of six packages for each Accelerator(); they stay as they are while tests run."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("version", "metadata"):
            patch.setattr(importlib.metadata, name, cache(getattr(importlib.metadata, name)))
        yield
