"""The environment of the hooks takes seconds to install: once for all workers."""

from __future__ import annotations

import os

import pytest
from filelock import FileLock

from .installed import Hooks, make_hooks


@pytest.fixture(scope="session")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    """The hooks of this checkout, installed; skips where they cannot be."""
    base = tmp_path_factory.getbasetemp()
    # pytest-xdist gives each worker a folder of its own below the one of the run
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "hooks"
    with FileLock(f"{folder}.lock"):
        done = folder / "done"
        if not done.exists():
            folder.mkdir(exist_ok=True)
            try:
                made = make_hooks(folder)
            except pytest.skip.Exception as skipped:
                done.write_text(f"skip {skipped}", encoding="utf-8")
                raise
            done.write_text(made.commit, encoding="utf-8")
            return made
        commit = done.read_text(encoding="utf-8")
        if commit.startswith("skip"):
            pytest.skip(commit.removeprefix("skip "))
        return Hooks(folder / "fsds", commit, folder / "home")
