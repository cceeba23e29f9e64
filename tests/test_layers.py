"""Imports run one way, heavy packages stay out, modules stay small."""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = "fsds_convert"
ROOT = Path(__file__).parent.parent / PACKAGE

# each may import itself and those before it
LAYERS = (
    "errors",
    "tables",
    "syntax",
    "project",
    "diagnostics",
    "settings",
    "plan",
    "engines",
    "rules",
    "containers",
    "transfer",
    "convert",
    "compare",
    "precision",
    "lint",
    "dry_run",
    "report",
    "explain",
    "schema",
    "cli",
)
# the entry point, and what writes the generated files, stand above all layers
ENTRY_POINTS = ("__main__", "_docs")

# packages outside the standard library, and the layers that may import them
THIRD_PARTY = {
    "yaml": ("tables", "syntax"),
    "typer": ("cli",),
    "rich": ("cli",),
    "jsonschema": ("schema",),
    "tomli": ("project",),
    # inside the processes that train, never in that of the command (test_startup.py)
    **dict.fromkeys(("torch", "accelerate", "deepspeed", "transformers", "safetensors"), ("dry_run",)),
}
SLOW_STDLIB = ("importlib.metadata", "importlib.resources")
VAGUE_NAMES = ("utils", "util", "helpers", "helper", "manager", "common", "misc")

MODULES = sorted(ROOT.rglob("*.py"))


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer(module: str) -> str:
    """The first part below the package: `fsds_convert.tables.row` -> `tables`."""
    return module.split(".")[1] if "." in module else ""


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, at its top or inside a function, as a dotted name."""
    package = dotted(path).split(".") if path.name == "__init__.py" else dotted(path).split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            # `from fsds_convert import tables` names a module, `from fsds_convert.tables import Row` does not matter
            yield from (f"{base}.{alias.name}" for alias in node.names)


def own_imports(path: Path) -> Iterator[str]:
    """The layers of the package that a file imports."""
    for name in imports(path):
        below = name.removeprefix(f"{PACKAGE}.")
        if below != name and not below.startswith("__"):
            yield below.split(".")[0]


def is_below(name: str, modules: tuple[str, ...]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_module_stands_in_a_layer(path: Path) -> None:
    assert layer(dotted(path)) in ("", *LAYERS, *ENTRY_POINTS)


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_imports_run_one_way(path: Path) -> None:
    here = layer(dotted(path))
    if here in ENTRY_POINTS:
        return
    allowed = LAYERS[: LAYERS.index(here) + 1] if here else ()
    assert sorted(set(own_imports(path)) - set(allowed)) == []


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_third_party_imports_stay_in_their_layer(path: Path) -> None:
    here = layer(dotted(path))
    outside = {name.split(".")[0] for name in imports(path)} - set(sys.stdlib_module_names) - {PACKAGE}
    assert sorted(name for name in outside if here not in THIRD_PARTY.get(name, ())) == []


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_slow_standard_modules_stay_out(path: Path) -> None:
    assert [name for name in imports(path) if is_below(name, SLOW_STDLIB)] == []


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_name_says_what_the_module_holds(path: Path) -> None:
    assert not set(dotted(path).split(".")) & set(VAGUE_NAMES)


def test_modules_are_small() -> None:
    lines = {dotted(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: count for name, count in lines.items() if count > 300} == {}
    # an `__init__` of a docstring alone would only flatter the median
    assert statistics.median(count for count in lines.values() if count > 3) < 80


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import yaml", ["yaml"]),
        ("import importlib.metadata as m", ["importlib.metadata"]),
        ("from importlib import resources", ["importlib.resources"]),
        ("def f():\n    import torch", ["torch"]),
        ("from fsds_convert import tables", ["fsds_convert.tables"]),
        ("from fsds_convert.tables.row import Row", ["fsds_convert.tables.row.Row"]),
        ("from . import row", ["fsds_convert.tables.row"]),
        ("from .row import Row", ["fsds_convert.tables.row.Row"]),
        ("from ..errors import FsdsError", ["fsds_convert.errors.FsdsError"]),
    ],
)
def test_every_form_of_import_is_seen(
    source: str, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / PACKAGE / "tables" / "versions.py"
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path / PACKAGE)
    assert list(imports(path)) == expected
