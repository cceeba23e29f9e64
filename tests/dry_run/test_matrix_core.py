"""The core of the matrix, really trained where FSDS_MATRIX_CORE=1 asks for its minutes; `make matrix` runs it all."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from .cells import Cell, Runner, runner
from .matrix import cells, quick

CORE = quick()


@pytest.fixture(scope="module")
def session() -> Iterator[Runner]:
    with runner() as made:
        yield made


def test_names_are_distinct() -> None:
    names = [cell.name for cell in cells(True, True)]
    assert len(names) == len(set(names))
    assert len(CORE) >= 40


@pytest.mark.skipif(
    os.environ.get("FSDS_MATRIX_CORE") != "1", reason="about 5 minutes: asked for by FSDS_MATRIX_CORE=1"
)
@pytest.mark.parametrize("cell", CORE, ids=lambda cell: cell.name.replace(" | ", "-"))
def test_predicted_is_observed_and_the_pair_trains_alike(cell: Cell, session: Runner) -> None:
    outcome = session.run(cell)
    assert outcome.status in ("passed", "foretold", "refused"), outcome.why
