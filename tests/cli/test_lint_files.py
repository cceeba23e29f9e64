"""`fsds lint`: which files are looked at, and the settings of a project."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from .case import Case, check
from .command import run
from .configs import FSDP1

BAD = FSDP1.replace("fsdp_sharding_strategy", "fsdp_shardng_strategy")
LINE = "a.yaml:8:3: FSDS102"
A = {"a.yaml": BAD}


def project(text: str, name: str = "pyproject.toml") -> dict[str, str]:
    return {**A, name: text}


CASES = {
    # which are named, and which are left out
    "a folder": Case(
        "lint conf", 1, out=("conf/a.yml:8:3",), err=("1 warning in 1 file",), files={"conf/a.yml": BAD, "b.yaml": BAD}
    ),
    "a file with another name": Case("lint a.conf", 1, out=("a.conf:8:3",), err=("1 warning",), files={"a.conf": BAD}),
    "other names in a folder": Case(
        "lint", err=("No Accelerate or DeepSpeed config was checked.\n",), files={"a.conf": BAD, "b.txt": BAD}
    ),
    "excluded in a folder": Case("lint --exclude old", err=("1 file",), files={"old/a.yaml": BAD, "b.yaml": FSDP1}),
    "excluded by a pattern": Case(
        "lint --exclude '*/b*.yaml'",
        1,
        out=("old/a.yaml:8:3",),
        err=("1 warning",),
        files={"old/a.yaml": BAD, "old/b.yaml": BAD},
    ),
    "excluded from here": Case("lint --exclude ./a.yaml", err=("No Accelerate",), files=A),
    "excluded, and named": Case("lint --exclude a.yaml a.yaml", 1, out=(LINE,), err=("1 warning",), files=A),
    "excluded by force": Case("lint --exclude a.yaml --force-exclude a.yaml", err=("No Accelerate",), files=A),
    "excluded by its folder": Case(
        "lint --exclude old --force-exclude old/a.yaml", err=("No Accelerate",), files={"old/a.yaml": BAD}
    ),
    "the list": Case(
        "lint --show-files",
        out=("a.yaml\nold/b.yaml\n",),
        files={**A, "old/b.yaml": FSDP1, "c.yaml": "c: 1\n", "d.json": "[1]"},
    ),
    "the list without what cannot be read": Case(
        "lint --show-files none.yaml a.yaml", 2, out=("a.yaml\n",), err=("none.yaml: no such file",)
    ),
    "an empty list": Case("lint --show-files", files={"c.yaml": "c: 1\n"}),
    # the settings of a project
    "settings": Case("lint", err=("All checks passed",), files=project('[tool.fsds]\nignore = ["FSDS102"]\n')),
    "settings of their own file": Case(
        "lint", err=("All checks passed",), files=project('ignore = ["FSDS102"]\n', "fsds.toml")
    ),
    "settings in a table of tools": Case(
        "lint", err=("All checks passed",), files=project('[tool]\nfsds = {ignore = ["FSDS1"]}\n')
    ),
    "their own file comes first": Case(
        "lint",
        1,
        out=(LINE,),
        err=("1 warning",),
        files={**project('[tool.fsds]\nignore = ["FSDS102"]\n'), "fsds.toml": ""},
    ),
    "a project without settings": Case(
        "lint", 1, out=(LINE,), err=("1 warning",), files=project('[project]\nname = "fsds"\n')
    ),
    "options add to what is ignored": Case(
        "lint --ignore FSDS105", err=("All checks passed",), files=project('ignore = ["FSDS102"]', "fsds.toml")
    ),
    "options take the place of what is selected": Case(
        "lint --select FSDS1", 1, out=(LINE,), err=("1 w",), files=project('select = ["FSDS2"]', "fsds.toml")
    ),
    "a selection": Case("lint", err=("All checks passed",), files=project('select = ["FSDS2"]', "fsds.toml")),
    "an exclusion": Case("lint", err=("No Accelerate",), files=project('exclude = ["a*"]', "fsds.toml")),
    "ignored in files": Case(
        "lint", err=("All checks passed",), files=project('[per-file-ignores]\n"a*" = ["FSDS102"]', "fsds.toml")
    ),
    "a bar": Case("lint", out=(LINE,), err=("1 warning",), files=project('fail-on = "error"', "fsds.toml")),
    "a bar over the project's": Case(
        "lint --fail-on warning", 1, out=(LINE,), err=("1 w",), files=project('fail-on = "error"', "fsds.toml")
    ),
    "a format": Case("lint", 1, out=("::warning",), files=project('output-format = "github"', "fsds.toml")),
    "a severity": Case("lint", err=("All checks passed",), files=project('severity = "error"', "fsds.toml")),
    "none of it": Case(
        "lint --isolated", 1, out=(LINE,), err=("1 warning",), files=project('ignore = ["FSDS102"]', "fsds.toml")
    ),
    "another file": Case(
        "lint --config ci/x.toml",
        err=("All checks passed",),
        files={**project("select = []", "fsds.toml"), "ci/x.toml": 'ignore = ["FSDS102"]'},
    ),
    "another file that is not there": Case("lint --config x.toml", 2, err=("x.toml: cannot be read",)),
    "another file without settings": Case(
        "lint --config pyproject.toml", 2, err=("`tool.fsds` is not there",), files=project("")
    ),
    "another file and none": Case(
        "lint --config x.toml --isolated", 2, err=("--config and --isolated are both given",)
    ),
    "shown": Case(
        "lint --show-settings --ignore FSDS105",
        out=(
            "settings file = ",
            "fsds.toml\n",
            "ignore = FSDS102, FSDS105\n",
            "fail-on = error\n",
            "target-torch = 2.6.0\n",
            "for = trainer\n",
        ),
        files=project(
            'ignore = ["FSDS102"]\nfail-on = "error"\ntarget-torch = "2.6.0"\nfor = "trainer"\n', "fsds.toml"
        ),
    ),
    # settings that are wrong
    "an unknown key": Case(
        "lint",
        2,
        err=("fsds.toml: `selcet` is no setting of fsds\n  hint: did you mean `select`?",),
        files=project("selcet = []", "fsds.toml"),
    ),
    "a distant key": Case(
        "lint",
        2,
        err=("`line-length` is no setting", "known: select, ignore, exclude"),
        files=project("line-length = 1", "fsds.toml"),
    ),
    "an unknown key of a project": Case(
        "lint", 2, err=("pyproject.toml: `igonre`", "`ignore`"), files=project("[tool.fsds]\nigonre = []\n")
    ),
    "a text for a list": Case(
        "lint", 2, err=("`ignore` is not a list of texts but `FSDS1`",), files=project('ignore = "FSDS1"', "fsds.toml")
    ),
    "numbers for texts": Case(
        "lint", 2, err=("`ignore` is not a list of texts",), files=project("ignore = [102]", "fsds.toml")
    ),
    "a list for a table": Case(
        "lint", 2, err=("`per-file-ignores` is not a table",), files=project('per-file-ignores = ["a"]', "fsds.toml")
    ),
    "a text in a table": Case(
        "lint",
        2,
        err=("`per-file-ignores.a` is not a list",),
        files=project('per-file-ignores = {a = "FSDS1"}', "fsds.toml"),
    ),
    "an unknown bar": Case(
        "lint",
        2,
        err=("`fail-on` is none of error, warning, info but `never`",),
        files=project('fail-on = "never"', "fsds.toml"),
    ),
    "a list for a bar": Case(
        "lint", 2, err=("`fail-on` is none of",), files=project('fail-on = ["error"]', "fsds.toml")
    ),
    "a number for a release": Case(
        "lint", 2, err=("`target-torch` is no release but `2.6`",), files=project("target-torch = 2.6", "fsds.toml")
    ),
    "no release": Case(
        "lint", 2, err=("`target-torch` is no release but `new`",), files=project('target-torch = "new"', "fsds.toml")
    ),
    "a text for the settings": Case(
        "lint", 2, err=("`tool.fsds` is not a table",), files=project('[tool]\nfsds = "x"\n')
    ),
    "an unknown rule": Case("lint", 2, err=("unknown rule `FSDX`",), files=project('ignore = ["FSDX"]', "fsds.toml")),
    "no TOML": Case("lint", 2, err=("fsds.toml: is no TOML",), files=project("ignore = [", "fsds.toml")),
    "the other commands read it too": Case(
        "effective a.yaml", 2, err=("`selcet` is no setting of fsds",), files=project("selcet = []", "fsds.toml")
    ),
}


@pytest.fixture(autouse=True)
def _no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_WORKFLOW", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path) -> None:
    check(CASES[name], tmp_path)


def write(folder: Path, *names: str, text: str = BAD) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def listed(folder: Path, *arguments: str) -> list[str]:
    done = run(folder, "lint", "--show-files", *arguments)
    assert (done.status, done.err) == (0, "")
    return done.out.splitlines()


def git(folder: Path, *arguments: str) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", *arguments], cwd=folder, env=kept, capture_output=True, check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    return tmp_path


def test_what_git_ignores_is_left_out(repository: Path) -> None:
    write(repository, "a.yaml", "runs/b.yaml", "conf/c.yaml", "conf/d.local.yaml", "tracked/e.yaml")
    git(repository, "add", "tracked")
    write(repository, ".gitignore", text="runs/\ntracked/\n")
    write(repository, "conf/.gitignore", text="*.local.yaml\n")
    assert listed(repository) == ["a.yaml", "conf/c.yaml", "tracked/e.yaml"]
    assert listed(repository / "conf") == ["c.yaml"]
    assert listed(repository / "conf", "..") == ["../a.yaml", "../conf/c.yaml", "../tracked/e.yaml"]


def test_what_is_named_is_taken_though_git_ignores_it(repository: Path) -> None:
    write(repository, ".gitignore", text="runs/\n")
    write(repository, "runs/b.yaml", "runs/deep/c.yaml")
    assert listed(repository, "runs/b.yaml") == ["runs/b.yaml"]
    assert listed(repository, "runs") == ["runs/b.yaml", "runs/deep/c.yaml"]
    assert listed(repository / "runs") == ["b.yaml", "deep/c.yaml"]
    assert listed(repository) == []


def test_a_file_that_git_knows_and_is_gone(repository: Path) -> None:
    write(repository, "a.yaml", "b.yaml")
    git(repository, "add", ".")
    (repository / "a.yaml").unlink()
    assert listed(repository) == ["b.yaml"]


@pytest.mark.parametrize("with_git", [True, False])
def test_folders_that_hold_no_files_of_ones_own(
    with_git: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = (".venv", "venv", "node_modules", "__pycache__", ".tox", ".mypy_cache", ".ruff_cache", "src/.venv")
    write(
        tmp_path, "a.yaml", *(f"{name}/x/a.yaml" for name in others), ".github/b.yaml", "-x.yaml", "\u00e9 \u4e2d.yaml"
    )
    if with_git:
        git(tmp_path, "init", "--quiet")
    else:
        monkeypatch.setenv("PATH", "")
    assert listed(tmp_path) == ["-x.yaml", ".github/b.yaml", "a.yaml", "\u00e9 \u4e2d.yaml"]


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_links(tmp_path: Path) -> None:
    write(tmp_path, "real/a.yaml")
    (tmp_path / "link.yaml").symlink_to("real/a.yaml")
    (tmp_path / "dead.yaml").symlink_to("none.yaml")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "real" / "up").symlink_to("..")
    assert listed(tmp_path) == ["link.yaml", "real/a.yaml"]
    assert listed(tmp_path, "loop/real/a.yaml") == ["loop/real/a.yaml"]
    assert run(tmp_path, "lint", "dead.yaml").status == 2


def test_closest_settings_win(tmp_path: Path) -> None:
    write(tmp_path, "conf/deep/a.yaml")
    write(tmp_path, "fsds.toml", text='ignore = ["FSDS102"]')
    assert run(tmp_path / "conf" / "deep", "lint").status == 0
    write(tmp_path, "conf/pyproject.toml", text="[tool.ruff]\n")
    assert run(tmp_path / "conf" / "deep", "lint").status == 0, "a project without settings is passed by"
    write(tmp_path, "conf/pyproject.toml", text='[tool.fsds]\nselect = ["FSDS1"]\n')
    assert run(tmp_path / "conf" / "deep", "lint").status == 1
    assert run(tmp_path, "lint").status == 0, "the settings are those of the working directory"


def test_settings_that_are_no_text(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml")
    (tmp_path / "fsds.toml").write_bytes(b"# \xff\n")
    done = run(tmp_path, "lint")
    assert (done.status, done.out) == (2, "")
    assert "fsds.toml: is no TOML" in done.err


def test_absolute_names(tmp_path: Path) -> None:
    write(tmp_path, "old/a.yaml", "b.yaml")
    assert listed(tmp_path, str(tmp_path), "--exclude", "old") == [str(tmp_path / "b.yaml")]
    assert listed(tmp_path, str(tmp_path), "--exclude", tmp_path.name) == [
        str(tmp_path / n) for n in ("b.yaml", "old/a.yaml")
    ]
