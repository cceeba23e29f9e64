"""Options of the whole test run."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite expected output in the documentation in place")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--update writes into shared files: run it without -n")
