"""The wheel is whole: installed far from the checkout, it converts a file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

import fsds_convert

CHECKOUT = Path(__file__).parent.parent
DATA = ("mappings", "schemas")


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An sdist, and the wheel built from that sdist."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, CHECKOUT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (path,) = dist.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands of an environment that holds the wheel and its base dependencies alone."""
    environment = tmp_path_factory.mktemp("environment") / "venv"
    run(sys.executable, "-m", "venv", environment, cwd=environment.parent)
    commands = environment / ("Scripts" if os.name == "nt" else "bin")
    run(commands / "python", "-m", "pip", "install", "--quiet", "--no-input", wheel, cwd=environment.parent)
    return commands


def names_of(folder: Path, kind: str) -> set[str]:
    return {f"{kind}/{path.relative_to(folder).as_posix()}" for path in folder.rglob("*") if path.is_file()}


def test_wheel_carries_tables_and_schemas(wheel: Path) -> None:
    expected = {name for kind in DATA for name in names_of(CHECKOUT / kind, kind)}
    assert expected
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {f"fsds_convert/_data/{name}" for name in expected} <= names
    assert "fsds_convert/py.typed" in names
    assert {name.split("/")[0] for name in names} == {
        "fsds_convert",
        f"fsds_convert-{fsds_convert.__version__}.dist-info",
    }


def test_sdist_carries_what_a_build_and_the_tests_need(dist: Path) -> None:
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for kind in (*DATA, "examples"):
        assert names_of(CHECKOUT / kind, kind) <= names
    assert {"pyproject.toml", "README.md", "LICENSE", "Makefile", "tests/test_wheel.py"} <= names


def test_installed_wheel_converts_a_file(installed: Path, tmp_path: Path) -> None:
    shutil.copy(CHECKOUT / "examples" / "fsdp1.yaml", tmp_path)
    done = run(installed / "fsds", "convert", "fsdp1.yaml", "--to", "deepspeed", cwd=tmp_path)
    converted = yaml.safe_load(done.stdout)
    assert converted["distributed_type"] == "DEEPSPEED"
    assert converted["deepspeed_config"]["zero_stage"] == 3
    assert "fsdp_config" not in converted
    assert done.stderr


def test_installed_wheel_stands_alone(installed: Path, tmp_path: Path) -> None:
    done = run(installed / "python", "-c", "import fsds_convert; print(fsds_convert.__file__)", cwd=tmp_path)
    assert Path(done.stdout.strip()).is_relative_to(installed.parent)
    assert fsds_convert.__version__ in run(installed / "fsds", "--version", cwd=tmp_path).stdout
    assert fsds_convert.__version__ in run(installed / "python", "-m", "fsds_convert", "--version", cwd=tmp_path).stdout
    listed = run(installed / "python", "-m", "pip", "list", "--format", "freeze", cwd=tmp_path).stdout.lower()
    assert not {"torch", "accelerate", "deepspeed", "transformers"} & {line.split("==")[0] for line in listed.split()}


def test_installed_wheel_reads_the_tables_of_the_checkout(installed: Path, tmp_path: Path) -> None:
    """The compiled copies say what the YAML beside them says."""
    tables = sorted((CHECKOUT / "mappings").glob("*.yaml"))
    names = [table.stem for table in tables]
    code = f"from fsds_convert.tables.load import load_document\nprint({{n: load_document(n) for n in {names}}})"
    done = run(installed / "python", "-c", code, cwd=tmp_path)
    assert done.stdout.strip() == repr({table.stem: yaml.safe_load(table.read_text("utf-8")) for table in tables})
    assert {path.stem for path in installed.parent.glob("**/_data/compiled/*.py")} == set(names)
