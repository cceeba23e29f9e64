"""The core of the matrix, really trained; `make matrix` runs the whole."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .cells import Cell, Runner, runner
from .matrix import cells, quick

pytestmark = pytest.mark.xdist_group("dry-run")
CORE = quick()


@pytest.fixture(scope="module")
def session() -> Iterator[Runner]:
    with runner() as made:
        yield made


def test_names_are_distinct() -> None:
    names = [cell.name for cell in cells(True, True)]
    assert len(names) == len(set(names))
    assert len(CORE) >= 40


@pytest.mark.parametrize("cell", CORE, ids=lambda cell: cell.name.replace(" | ", "-"))
def test_predicted_is_observed_and_the_pair_trains_alike(cell: Cell, session: Runner) -> None:
    outcome = session.run(cell)
    assert outcome.status in ("passed", "foretold", "refused"), outcome.why
