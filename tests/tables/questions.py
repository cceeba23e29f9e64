"""Every file that is asked about for a row: its spellings and wrong values, in each engine, in force and not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsds_convert.engines.modules import MODULES
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Row

from . import files
from .ask import Answer, ask, ask_json
from .contexts import in_force, needed, not_in_force
from .spellings import spelled, wrong

TABLES = ("accelerate", "fsdp", "deepspeed-inline", "parallelism", "dynamo", "fp8", "deepspeed-json")
# values that are asked about where the key does nothing
_SPELLED_IDLE, _WRONG_IDLE = 2, 3


@dataclass(frozen=True)
class Question:
    """A key with a value, in the smallest file of an engine; `legal`: a spelling of the row."""

    row: Row
    engine: str
    beside: files.Keys
    value: Any
    legal: bool
    key: str

    def __str__(self) -> str:
        beside = "".join(f", {key}: {value}" for key, value in self.beside.items())
        return f"{self.engine}, {self.key}: {self.value!r}{beside}"

    def answer(self, folder: Path) -> Answer:
        """Both answers; the file stays in the folder."""
        return _asked(self.row, self.engine, {**self.beside, self.key: self.value}, folder)

    def without(self, folder: Path) -> Answer:
        """Both answers on the same file without the key."""
        return _asked(self.row, self.engine, self.beside, folder)


def _asked(row: Row, engine: str, keys: files.Keys, folder: Path) -> Answer:
    if row.table.startswith("deepspeed-json"):
        return ask_json(files.write_json(folder, keys))
    return ask(files.write(folder, engine, keys))


def engines_of(row: Row) -> list[str]:
    """The engines that read the row's table, and one process without any."""
    name = "deepspeed-json" if row.table.startswith("deepspeed-json") else row.table
    found = [str(engine) for engine, module in MODULES.items() if name in module.TABLES]
    return [*found, "single"] if "ddp" in found else found


def questions(row: Row) -> Iterator[Question]:
    """All questions about a row."""
    name = "deepspeed-json" if row.table.startswith("deepspeed-json") else row.table
    for engine in engines_of(row):
        reads = "ddp" if engine == "single" else engine
        if load_table(name).row(row.key, reads) is not row:
            continue  # another row of the same key acts there
        if row.engines and reads not in row.engines:
            yield from _some(row, engine, needed(row, reads))
            continue
        beside = in_force(row, reads)
        for legal, values in ((True, spelled(row)), (False, wrong(row))):
            yield from (Question(row, engine, beside, value, legal, row.key) for value in values)
        yield from _without_prefix(row, engine, beside)
        for idle in not_in_force(row, reads):
            yield from _some(row, engine, idle)


def _some(row: Row, engine: str, beside: files.Keys) -> Iterator[Question]:
    for legal, values in ((True, list(spelled(row))[:_SPELLED_IDLE]), (False, list(wrong(row))[:_WRONG_IDLE])):
        yield from (Question(row, engine, beside, value, legal, row.key) for value in values)


def _without_prefix(row: Row, engine: str, beside: files.Keys) -> Iterator[Question]:
    """The loader adds a prefix that is missing."""
    table = load_table(row.table)
    if table.prefix:
        key = f"{table.section}.{row.name.removeprefix(table.prefix)}"
        yield from (Question(row, engine, beside, value, True, key) for value in list(spelled(row))[:_SPELLED_IDLE])
