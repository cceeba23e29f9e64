"""Trains published configs with their conversions: `python -m tests.dry_run.corpus_pairs`, where the corpus is.

Of each kind those files are taken that differ in stage or strategy, offload and precision, by corpus/index.tsv.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from pathlib import Path

from tests.dry_run.cells import Cell, load, run_all
from tests.dry_run.matrix import cells
from tests.dry_run.results_page import CORPUS, write_page
from tests.oracle import corpus

# how many files of a kind, and what they are converted to in turn
KINDS = {
    "accelerate-fsdp1": (9, ("deepspeed", "fsdp2")),
    "accelerate-fsdp2": (8, ("deepspeed",)),
    "accelerate-deepspeed-inline": (10, ("fsdp2", "fsdp1")),
    "deepspeed-json": (10, ("fsdp2", "fsdp1")),
    "accelerate-deepspeed-file": (3, ("fsdp2",)),
    "accelerate-other": (4, ("fsdp2",)),
}
_JSON_FOR_FILES = "deepspeed-json/{:03d}.json"


def chosen() -> Iterator[Cell]:
    """The kinds in turn, so that a run that is cut short has all of them."""
    rows = list(csv.DictReader((corpus.ROOT / "index.tsv").open(encoding="utf-8"), delimiter="\t"))
    columns: list[list[Cell]] = []
    for kind, (number, targets) in KINDS.items():
        distinct: dict[tuple[str, ...], str] = {}
        for row in rows:
            if row["kind"] == kind:
                key = tuple(row[name] for name in ("sub", "stage_or_strategy", "offload", "mixed_precision"))
                distinct.setdefault(key if kind != "accelerate-deepspeed-file" else (row["file"],), row["file"])
        files = list(distinct.values())[:number]
        columns.append([_cell(file, kind, targets[index % len(targets)], index) for index, file in enumerate(files)])
    for place in range(max(map(len, columns))):
        yield from (column[place] for column in columns if place < len(column))


def _cell(file: str, kind: str, target: str, index: int) -> Cell:
    path = corpus.ROOT / file
    text = path.read_text("utf-8")
    if kind == "accelerate-deepspeed-file":
        with corpus.with_deepspeed_file(path, corpus.ROOT / _JSON_FOR_FILES.format(index + 1)) as copy:
            text = copy.read_text("utf-8")
    return Cell(f"{file} | {target}", Path(file).name, text, target, None, None)


def main() -> None:
    """Runs, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--resume", type=Path, help="a file of results to go on with")
    parser.add_argument("--minutes", type=float, help="start no file after that time")
    parser.add_argument("--only", default="", help="files whose name holds this")
    asked = parser.parse_args()
    until = time.time() + 60 * asked.minutes if asked.minutes is not None else None
    path = asked.resume or CORPUS
    known = load(path) if asked.resume else {}
    run_all([cell for cell in chosen() if asked.only in cell.name], path, known, until, 20)
    write_page(corpus=path, asked=[cell.name for cell in cells(True, True)])


if __name__ == "__main__":
    main()
