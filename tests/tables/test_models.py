"""mappings/models.yaml against the installed Transformers; `--update` writes it."""

from __future__ import annotations

import inspect
import re
import sys
from types import ModuleType
from typing import Any

import pytest

from fsds_convert.tables.load import data_folder, load_document

_MOE = re.compile(r"(SparseMoeBlock|SparseMoEBlock|SparseMLP|MoeBlock|MoEBlock|MoE|Moe)$")


def asked() -> dict[str, dict[str, list[str]]]:
    """What the model classes of each model type say, for those that name layers as a list."""
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    by_type = {name: found for name in _types() if (found := _of_type(transformers, name))}
    named = {layer for layers, _ in by_type.values() for layer in layers}
    return {name: _row(layers, modules, named) for name, (layers, modules) in sorted(by_type.items())}


def _types() -> list[str]:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    return list(CONFIG_MAPPING_NAMES)


def _of_type(transformers: ModuleType, name: str) -> tuple[set[str], set[str]] | None:
    """The layers that its classes name together, as a whole model collects them, and the modules that they stand in."""
    layers: set[str] = set()
    modules: set[str] = set()
    for model in _classes(name):
        found = getattr(transformers, model, None)
        if not inspect.isclass(found) or not issubclass(found, transformers.PreTrainedModel):
            continue
        modules.add(found.__module__)
        if isinstance(found._no_split_modules, (list, tuple, set)):
            layers |= {layer for layer in found._no_split_modules if layer}
    return (layers, modules) if layers else None


def _classes(name: str) -> set[str]:
    from transformers.models.auto import modeling_auto

    found: set[str] = set()
    for mapping in (getattr(modeling_auto, each) for each in dir(modeling_auto) if each.endswith("_MAPPING_NAMES")):
        classes: Any = mapping.get(name, ())
        found |= {classes} if isinstance(classes, str) else set(classes)
    return found


def _row(layers: set[str], modules: set[str], named: set[str]) -> dict[str, list[str]]:
    import torch

    there = {
        name
        for module in modules
        for name, value in vars(sys.modules[module]).items()
        if inspect.isclass(value) and issubclass(value, torch.nn.Module)
    }
    row = {"layers": sorted(layers)}
    if others := sorted(there & named - layers):
        row["others"] = others
    if experts := sorted(name for name in there if _MOE.search(name)):
        row["moe"] = experts
    return row


def written(rows: dict[str, dict[str, list[str]]]) -> str:
    """The rows as they stand in the file, one a line."""

    def line(name: str, row: dict[str, list[str]]) -> str:
        inside = ", ".join(f"{key}: [{', '.join(values)}]" for key, values in row.items())
        return f"  {name}: {{{inside}}}\n"

    return "".join(line(name, row) for name, row in rows.items())


def test_models_are_those_of_transformers(request: pytest.FixtureRequest) -> None:
    rows = asked()
    path = data_folder("mappings") / "models.yaml"
    head, _, _ = path.read_text("utf-8").partition("models:\n")
    if request.config.getoption("--update"):
        path.write_text(f"{head}models:\n{written(rows)}", "utf-8")
        load_document.cache_clear()
    assert load_document("models")["models"] == rows
