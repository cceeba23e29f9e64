"""Plans that a file of each engine really gives: every word that its rows have for a plan field."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fsds_convert.containers import accelerate_file
from fsds_convert.containers.reading import Reading
from fsds_convert.engines.fields import Engine, acts, word
from fsds_convert.engines.modules import tables_of
from fsds_convert.settings.coerce import coerce
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source
from fsds_convert.tables.row import Row

from . import files
from .contexts import in_force
from .spellings import spelled


def readings(engine: Engine, folder: Path, context: Context) -> Iterator[Reading]:
    """A file that launches for each word of each row that has a plan field; the first one has none of them."""
    yield _read(files.write(folder, engine, {}), context)
    for table in tables_of(engine):
        for row in table:
            if row.field is None or row.type == "refused" or not acts(row, engine):
                continue
            for value in _one_a_word(row):
                keys = {**in_force(row, engine), row.key: value}
                json = row.table.startswith("deepspeed-json")
                path = files.write_json(folder, keys) if json else files.write(folder, engine, keys)
                reading = _read(path, context)
                if reading.launches and reading.engine == engine:
                    yield reading


def _one_a_word(row: Row) -> Iterator[Any]:
    """One spelling for each word of the plan."""
    seen = []
    for value in spelled(row):
        said = repr(word(row, coerce(row, value).value))
        if said not in seen:
            seen.append(said)
            yield value


def _read(path: Path, context: Context) -> Reading:
    return accelerate_file.read(read_source(str(path)), context)
