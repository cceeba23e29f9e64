"""The hooks of .pre-commit-hooks.yaml, run by the real pre-commit in a repository of their user."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from identify.identify import tags_from_filename

from tests.cli.command import run as run_fsds
from tests.cli.configs import FSDP1

from .installed import ROOT, Hooks, Project, make_project, pre_commit

GOOD = FSDP1
BAD = GOOD.replace("fsdp_sharding_strategy", "fsdp_shardng_strategy")
PLACE = "FSDS102 [*] unknown key `fsdp_shardng_strategy`"
# what lies about in repositories: none of it is a training config
OTHERS: dict[str, str | bytes] = {
    ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n",
    "chart/templates/job.yaml": "kind: Job\nspec: {{ .Values.spec }}\n{{- if .x }}\n",
    "k8s.yaml": "kind: ConfigMap\ndata:\n  train.yaml: |\n    distributed_type: FSDP\n---\nkind: Job\n",
    "list.yml": "- a\n- b\n",
    "empty.yaml": "",
    "broken.json": '{"a": [1,\n',
    "tsconfig.json": '{\n  // strict\n  "compilerOptions": {"strict": true,},\n}\n',
    "notebook.ipynb": '{"cells": [{"source": "fsdp_config"}], "nbformat": 4}\n',
    "tagged.yaml": "a: !Ref b\n",
    "latin.yaml": "name: Andr\u00e9\n".encode("latin-1"),
    "big.json": b"[" + b"1," * 3_000_000 + b"1]",
    "text.txt": "fsdp_shardng_strategy: FULL_SHARD\n",
}


def test_manifest_is_valid() -> None:
    hooks = Hooks(ROOT, "", ROOT)
    done = pre_commit("validate-manifest", ".pre-commit-hooks.yaml", hooks=hooks, folder=ROOT)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["a.yaml", "a.yml", "conf/A.YAML", "ds_config.json", "zero3.JSON", ".hidden.yaml"])
def test_names_that_hooks_take(name: str) -> None:
    assert [hook["id"] for hook in _manifest() if tags_from_filename(name) & set(hook["types_or"])] == [
        "fsds-lint",
        "fsds-fix",
        "fsds-convert-check",
    ]


@pytest.mark.parametrize("name", ["a.py", "a.toml", "a.txt", "a.yaml.j2", "a.json5", "Makefile", "yaml", "json"])
def test_names_that_hooks_leave(name: str) -> None:
    assert not any(tags_from_filename(name) & set(hook["types_or"]) for hook in _manifest())


def _manifest() -> list[dict[str, Any]]:
    hooks: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return hooks


@pytest.fixture
def linting(tmp_path: Path, hooks: Hooks) -> Project:
    return make_project(tmp_path / "project", hooks, "- id: fsds-lint")


def test_lint_passes_a_good_file_among_others(linting: Project) -> None:
    linting.write({"train.yaml": GOOD, **OTHERS})
    done = linting.run("--all-files", "--verbose")
    assert done.returncode == 0, done.stdout
    assert "fsds lint" in done.stdout
    assert "Passed" in done.stdout
    assert "All checks passed: 1 file" in done.stdout


def test_lint_fails_a_bad_file(linting: Project) -> None:
    linting.write({"conf/train.yaml": BAD, "good.yaml": GOOD, **OTHERS})
    done = linting.run("--all-files")
    assert (done.returncode, "- exit code: 1" in done.stdout) == (1, True)
    assert [line.partition(";")[0] for line in _findings(done.stdout)] == [f"conf/train.yaml:8:3: {PLACE}"]


def test_lint_takes_the_named_files_only(linting: Project) -> None:
    linting.write({"bad.yaml": BAD, "good.yaml": GOOD})
    assert linting.run("--files", "good.yaml").returncode == 0
    assert linting.run("--files", "good.yaml", "bad.yaml").returncode == 1


def test_nothing_to_lint(linting: Project) -> None:
    linting.write({"train.py": "pass\n"})
    done = linting.run("--files", "train.py")
    assert done.returncode == 0
    assert "(no files to check)Skipped" in done.stdout


def test_excluded_files_are_left_out_though_they_are_named(linting: Project) -> None:
    linting.write({"old/train.yaml": BAD, "pyproject.toml": '[tool.fsds]\nexclude = ["old"]\n'})
    assert linting.run("--files", "old/train.yaml").returncode == 0
    linting.write({"pyproject.toml": '[tool.fsds]\nexclude = ["new"]\n'})
    assert linting.run("--files", "old/train.yaml").returncode == 1


def test_several_processes_find_the_same(linting: Project) -> None:
    linting.write({f"conf/{number}.yaml": BAD for number in range(24)})
    apart = linting.run("--all-files")
    together = linting.run("--all-files", environment={"PRE_COMMIT_NO_CONCURRENCY": "1"})
    assert apart.returncode == together.returncode == 1
    assert sorted(_findings(apart.stdout)) == sorted(_findings(together.stdout))
    assert len(_findings(apart.stdout)) == 24
    assert together.stdout.count(" fixable with --fix") == 1
    if (os.cpu_count() or 1) > 1:
        assert apart.stdout.count(" fixable with --fix") > 1, "pre-commit did not split the files"


def test_arguments_of_the_user(tmp_path: Path, hooks: Hooks) -> None:
    project = make_project(tmp_path / "project", hooks, "- id: fsds-lint\n  args: [--ignore, FSDS102]")
    project.write({"train.yaml": BAD})
    assert project.run("--all-files").returncode == 0


def test_fix_changes_the_file_once(tmp_path: Path, hooks: Hooks) -> None:
    project = make_project(tmp_path / "project", hooks, "- id: fsds-fix")
    project.write({"train.yaml": BAD, **OTHERS})
    first = project.run("--all-files")
    assert first.returncode == 1
    assert "files were modified by this hook" in first.stdout
    assert "1 finding fixed in 1 file" in first.stdout
    assert (project.folder / "train.yaml").read_text() == GOOD
    assert all(_bytes(project.folder / name) == _as_bytes(text) for name, text in OTHERS.items())
    second = project.run("--all-files")
    assert second.returncode == 0, second.stdout


def test_convert_check(tmp_path: Path, hooks: Hooks) -> None:
    """Whether the committed DeepSpeed file is still what the FSDP file converts to."""
    arguments = ("train.yaml", "--to", "deepspeed", "-o", "deepspeed.yaml")
    listed = f"- id: fsds-convert-check\n  args: [{', '.join(arguments)}, --report, none]"
    project = make_project(tmp_path / "project", hooks, listed)
    project.write({"train.yaml": GOOD, "other.yaml": "a: 1\n"})
    missing = project.run("--all-files")
    assert missing.returncode == 1
    assert "deepspeed.yaml: is not there" in missing.stdout
    assert run_fsds(project.folder, "convert", *arguments).status == 0
    project.write({})
    same = project.run("--all-files")
    assert same.returncode == 0, same.stdout
    project.write({"train.yaml": GOOD.replace("FULL_SHARD", "SHARD_GRAD_OP")})
    changed = project.run("--files", "train.yaml")
    assert changed.returncode == 1
    assert "deepspeed.yaml: is not what train.yaml converts to" in changed.stdout
    assert project.run("--files", "README.md").returncode == 0


def _findings(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if "FSDS" in line]


def _bytes(path: Path) -> bytes:
    return path.read_bytes()


def _as_bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()
