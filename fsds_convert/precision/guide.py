"""The table of Accelerate's concept guide on FSDP and DeepSpeed, computed from configs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fsds_convert.containers import accelerate_file, deepspeed_json
from fsds_convert.precision.rows import by_stage, precision_of
from fsds_convert.settings.context import Context
from fsds_convert.syntax.source import load
from fsds_convert.tables.load import load_document
from fsds_convert.tables.row import Since


@dataclass(frozen=True)
class GuideRow:
    """One row: the framework, and a text for each column."""

    name: str
    columns: dict[str, str]


def guide(context: Context) -> Iterator[GuideRow]:
    """Every row that the releases in force can run."""
    document = load_document("precision")["guide"]
    for row in document["rows"]:
        if "needs" in row and not Since.parse(row["needs"]).reached(context.versions):
            continue
        source = load(json.dumps(row["config"]).encode(), row["name"], format="json")
        container = accelerate_file if "distributed_type" in row["config"] else deepspeed_json
        asked = replace(context, consumer="accelerate", model_dtype=row["model_dtype"], mixed_precision=None)
        values = by_stage(precision_of(container.read(source, asked), asked))
        columns = {column: values[stage] for column, stage in document["columns"].items()}
        said = {"loading": row["model_dtype"], "mixed precision": row["mixed_precision"]}
        yield GuideRow(row["name"], {**said, **columns})
