"""What a command loads: times vary from machine to machine, lists of modules do not."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"

HEAVY = ("torch", "accelerate", "deepspeed", "transformers", "jsonschema", "numpy", "rich")
# typer 0.29 loads these by itself, through pydantic, when it runs a command
SLOW_STDLIB = ("importlib.metadata", "importlib.resources")

BARE_TYPER = """
import typer
app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command()(lambda: None)
app.command("other")(lambda: None)
main = lambda: app()
"""

RUN = """
import json, sys
{imports}
sys.argv = ["fsds", *{arguments!r}]
try:
    status = main()
except SystemExit as stop:
    status = stop.code
sys.stderr.write("\\n" + json.dumps([status, sorted(sys.modules)]))
"""


def loaded(imports: str, *arguments: str) -> set[str]:
    """The modules in a fresh interpreter after `main()`; output goes to a pipe, as in CI."""
    code = RUN.format(imports=imports, arguments=arguments)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    status, modules = json.loads(done.stderr.rpartition("\n")[2])
    assert status in (None, 0), done.stderr
    assert done.stdout
    return set(modules)


@cache
def loaded_by_typer() -> frozenset[str]:
    return frozenset(loaded(BARE_TYPER + "print('ran')", "other"))


def loaded_by_fsds(*arguments: str) -> set[str]:
    return loaded("from fsds_convert.cli import main", *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "fsdp1.yaml", "--to", "deepspeed"),
        ("convert", "zero3.yaml", "--to", "fsdp2"),
        ("effective", "fsdp1.yaml"),
        ("effective", "zero3.yaml", "--output-format", "json"),
        ("precision", "fsdp1.yaml", "--model-dtype", "bf16"),
        ("precision", "zero3.yaml", "--params", "7B"),
    ],
    ids=" ".join,
)
def test_command_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    command, file, *rest = arguments
    modules = loaded_by_fsds(command, str(EXAMPLES / file), *rest)
    assert sorted(modules & set(HEAVY)) == []
    assert sorted(modules & set(SLOW_STDLIB) - loaded_by_typer()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "FSDS210"),
        ("explain", "fsdp_sharding_strategy"),
        ("explain", "stage", "--output-format", "json"),
        ("precision", "--table"),
        ("mapping",),
        ("mapping", "--output-format", "json"),
        ("schema", "accelerate"),
        ("schema", "deepspeed"),
    ],
    ids=" ".join,
)
def test_reference_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    """rich renders a page on a terminal only, and jsonschema checks a file only."""
    modules = loaded_by_fsds(*arguments)
    assert sorted(modules & set(HEAVY)) == []
    assert sorted(modules & set(SLOW_STDLIB) - loaded_by_typer()) == []


def test_check_against_a_schema_loads_no_upstream(tmp_path: Path) -> None:
    path = tmp_path / "train.yaml"
    path.write_text("distributed_type: FSDP\nfsdp_config: {fsdp_version: 2}\n", encoding="utf-8")
    code = RUN.format(
        imports="from fsds_convert.cli import main", arguments=("schema", "accelerate", "--check", str(path))
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    status, modules = json.loads(done.stderr.rpartition("\n")[2])
    assert (status, done.stdout) == (0, "")
    assert sorted(set(modules) & {"torch", "accelerate", "deepspeed", "transformers", "numpy", "rich"}) == []
    assert "jsonschema" in modules


def test_lint_of_paths_loads_not_even_typer(tmp_path: Path) -> None:
    """As a hook calls it; with other options it is parsed by typer."""
    path = tmp_path / "train.yaml"
    path.write_text("distributed_type: FSDP\nnum_processes: 8\nfsdp_config: {fsdp_versoin: 2}\n", encoding="utf-8")
    modules = loaded_by_fsds("lint", "--exit-zero", "--force-exclude", str(path))
    assert sorted(modules & {*HEAVY, *SLOW_STDLIB, "typer", "pydantic", "multiprocessing", "subprocess"}) == []


def test_lint_with_options_loads_nothing_heavy(tmp_path: Path) -> None:
    path = tmp_path / "train.yaml"
    path.write_text("distributed_type: FSDP\nnum_processes: 8\nfsdp_config: {fsdp_versoin: 2}\n", encoding="utf-8")
    modules = loaded_by_fsds("lint", "--exit-zero", "--output-format", "sarif", str(path))
    assert sorted(modules & set(HEAVY)) == []


def test_version_is_answered_before_typer_and_yaml() -> None:
    modules = loaded_by_fsds("--version")
    assert sorted(modules & {*HEAVY, *SLOW_STDLIB, "typer", "yaml", "pydantic"}) == []


def test_typer_itself_loads_nothing_heavy() -> None:
    assert sorted(loaded_by_typer() & set(HEAVY)) == []
