"""This checkout as a repository of its own, with what is not committed yet: where pre-commit takes the hooks from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
_NOT_CODE = {".git", ".venv", "build", "dist", "__pycache__"}


@dataclass(frozen=True)
class Hooks:
    """The repository of the hooks, the commit, and the folder in which pre-commit keeps their environment."""

    repository: Path
    commit: str
    home: Path

    def environment(self) -> dict[str, str]:
        """Nothing of the user's, and no word of the workflow or the hook that the tests run in."""
        others = ("GIT_", "GITHUB_", "PYTHON", "SKIP")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
        cache = str(self.home / "virtualenv")
        return {**kept, "PRE_COMMIT_HOME": str(self.home), "PRE_COMMIT_COLOR": "never", "XDG_DATA_HOME": cache}


@dataclass(frozen=True)
class Project:
    """A repository of a user, with hooks in its .pre-commit-config.yaml."""

    folder: Path
    hooks: Hooks

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Writes files and stages them: pre-commit looks at what git knows."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        git(self.folder, "add", "--all")

    def run(self, *arguments: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """`pre-commit run ARGUMENTS`."""
        return pre_commit("run", *arguments, hooks=self.hooks, folder=self.folder, environment=environment)


def make_hooks(folder: Path) -> Hooks:
    """Commits a copy of the checkout and has pre-commit install it; skips where pip finds no package index."""
    repository = folder / "fsds"
    for name in _names():
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, repository / name)
    git(folder, "init", "--quiet", str(repository))
    git(repository, "add", "--all", "--force")
    git(repository, "commit", "--quiet", "--no-verify", "--message", "as it is now")
    hooks = Hooks(repository, git(repository, "rev-parse", "HEAD").strip(), folder / "home")
    project = make_project(folder / "first", hooks, "- id: fsds-lint")
    done = pre_commit("install-hooks", hooks=hooks, folder=project.folder)
    if done.returncode and not _has_index(folder):
        pytest.skip("pip finds no package index: the environment of the hooks cannot be installed")
    assert done.returncode == 0, done.stdout + done.stderr
    return hooks


def make_project(folder: Path, hooks: Hooks, listed: str) -> Project:
    """A repository with the listed hooks (lines of YAML)."""
    lines = "\n".join(f"    {line}" for line in listed.splitlines())
    config = f"repos:\n- repo: {hooks.repository}\n  rev: {hooks.commit}\n  hooks:\n{lines}\n"
    git(folder.parent, "init", "--quiet", str(folder))
    project = Project(folder, hooks)
    project.write({".pre-commit-config.yaml": config})
    return project


def git(folder: Path, *arguments: str) -> str:
    """What git prints; names and mail are those of nobody."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = ("-c", "user.name=nobody", "-c", "user.email=", "-c", "commit.gpgsign=false")
    command = ["git", *who, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


def pre_commit(
    *arguments: str, hooks: Hooks, folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The real pre-commit."""
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments],
        cwd=folder,
        env={**hooks.environment(), **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def _names() -> list[str]:
    """The files of the checkout, committed or not; without git, as in an sdist, all but builds and caches."""
    try:
        listed = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
        names = [name for name in listed.split("\0") if name]
    except subprocess.CalledProcessError:
        found = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        names = [str(path) for path in found if not _NOT_CODE & set(path.parts)]
    return [name for name in names if (ROOT / name).is_file()]


def _has_index(folder: Path) -> bool:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "0", "--timeout", "10"]
    return subprocess.run([*command, "hatchling"], cwd=folder, capture_output=True, check=False).returncode == 0
