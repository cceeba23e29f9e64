"""The cases of `cases/*.yaml`: a config, and what each stage has then."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from fsds_convert.containers import accelerate_file, deepspeed_json
from fsds_convert.containers.reading import Reading
from fsds_convert.settings.context import Context
from fsds_convert.syntax.source import load
from fsds_convert.tables.versions import AUDITED, Versions


@dataclass(frozen=True)
class Case:
    """`file` is an Accelerate file, `json` a DeepSpeed JSON; `mode` the name of the run where it is asked."""

    name: str
    data: dict[str, Any]
    container: str
    options: dict[str, Any]
    stages: dict[str, str]
    mode: str | None

    @property
    def context(self) -> Context:
        options = dict(self.options)
        releases = {name: str(options.pop(name)) for name in AUDITED if name in options}
        return Context(versions=Versions(**releases), **options)

    @property
    def reading(self) -> Reading:
        source = load(json.dumps(self.data).encode(), f"{self.name}.json", format="json")
        read = accelerate_file.read if self.container == "file" else deepspeed_json.read
        return read(source, self.context)


def cases() -> list[Case]:
    found = []
    for path in sorted((Path(__file__).parent / "cases").glob("*.yaml")):
        for name, raw in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            container = "file" if "file" in raw else "json"
            extra = (raw[container], container, raw.get("options", {}), raw["stages"], raw.get("mode"))
            found.append(Case(f"{path.stem}-{name}", *extra))
    return found
