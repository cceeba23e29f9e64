"""The files that docs/ci.md shows are what pre-commit, GitHub and GitLab take."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from .installed import ROOT, Hooks, pre_commit

_FILE = re.compile(r"^```yaml title=\"([^\"]+)\"\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = dict(_FILE.findall((ROOT / "docs" / "ci.md").read_text(encoding="utf-8")))
PRE_COMMIT = [name for name in FILES if name.endswith(".pre-commit-config.yaml")]
WORKFLOWS = [name for name in FILES if name.startswith(".github/workflows/")]


def _write(folder: Path, name: str) -> Path:
    path = folder / Path(name).name
    path.write_text(FILES[name], encoding="utf-8")
    return path


@pytest.mark.parametrize("name", PRE_COMMIT)
def test_pre_commit_config(name: str, tmp_path: Path) -> None:
    path = _write(tmp_path, name)
    done = pre_commit("validate-config", path.name, hooks=Hooks(ROOT, "", tmp_path), folder=tmp_path)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    manifest = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    hooks = [hook["id"] for hook in yaml.safe_load(FILES[name])["repos"][0]["hooks"]]
    assert set(hooks) <= {hook["id"] for hook in manifest}


@pytest.mark.parametrize(
    ("name", "schema"),
    [*((name, "vendor.github-workflows") for name in WORKFLOWS), (".gitlab-ci.yml", "vendor.gitlab-ci")],
)
def test_workflow(name: str, schema: str, tmp_path: Path) -> None:
    path = _write(tmp_path, name)
    # what a lone file of GitLab is allowed to hold besides: YAML tags of its own
    transform = ["--data-transform", "gitlab-ci"] if "gitlab" in schema else []
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *transform, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", WORKFLOWS)
def test_inputs_of_the_action(name: str) -> None:
    known = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    steps = [step for job in yaml.safe_load(FILES[name])["jobs"].values() for step in job["steps"]]
    given: list[dict[str, Any]] = [step["with"] for step in steps if "fsds@" in step["uses"]]
    assert given
    assert all(set(each) <= set(known) for each in given)


def test_every_hook_and_input_is_on_the_page() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    names = [*(hook["id"] for hook in hooks), *inputs]
    assert [name for name in names if f"`{name}`" not in page] == []
