"""The wheel carries every mapping table as a Python literal too, which pip compiles: read ten times as fast as YAML."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import yaml
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Named by `tool.hatch.build.targets.wheel.hooks.custom`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the copies to a wheel; an editable install reads the checkout."""
        if version != "standard":
            return
        self._folder = tempfile.TemporaryDirectory()
        for table in sorted(Path(self.root, "mappings").glob("*.yaml")):
            copy = Path(self._folder.name, f"{table.stem}.py")
            copy.write_text(
                f"from math import inf, nan\n\nDOCUMENT = {yaml.safe_load(table.read_text('utf-8'))!r}\n", "utf-8"
            )
            build_data["force_include"][str(copy)] = f"fsds_convert/_data/compiled/{copy.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes the folder that the copies were written to."""
        if version == "standard":
            self._folder.cleanup()
