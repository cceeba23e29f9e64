"""Real files: what upstream refuses has an error, and nothing else has one without a reason."""

from __future__ import annotations

import pytest

pytest.importorskip("accelerate")
pytest.importorskip("deepspeed")

from tests.lint import corpus_report
from tests.lint.corpus_verdicts import linted, others, verdicts
from tests.oracle import corpus

pytestmark = pytest.mark.skipif(not any(corpus.files()), reason="the corpus of real files is not here")

# accepted by upstream as far as it can be asked without a launch, and why there is an error all the same
WRITTEN_IS_NOT_WHAT_RUNS = {
    "accelerate-fsdp2/007.yaml": ["FSDS103"],  # a list of classes: prepare() finds none of them
    "accelerate-other/006.yaml": ["FSDS402"],  # NO without quotes: one process, whatever else is written
    "accelerate-other/007.yaml": ["FSDS402"],
    "accelerate-other/013.yaml": ["FSDS402"],
    "deepspeed-json/005.json": ["FSDS507"],  # 1-bit optimizers: the engine, which is not built here, refuses them
    "deepspeed-json/011.json": ["FSDS507"],
    "deepspeed-json/067.json": ["FSDS507"],
}


def test_what_upstream_refuses_has_an_error() -> None:
    refused = [verdict for verdict in verdicts() if verdict.refused]
    assert len(refused) > 100
    assert [verdict.name for verdict in refused if not verdict.refusals] == []


def test_what_upstream_accepts_has_none() -> None:
    accepted = [verdict for verdict in verdicts() if not verdict.refused]
    assert len(accepted) > 200
    found = {verdict.name: [error.code for error in verdict.errors] for verdict in accepted if verdict.errors}
    assert found == WRITTEN_IS_NOT_WHAT_RUNS


def test_every_error_has_a_place() -> None:
    """A line, unless it speaks of a key that is not there."""
    nowhere = {error.code for verdict in verdicts() for error in verdict.errors if error.place.span is None}
    assert nowhere <= {"FSDS401", "FSDS403", "FSDS501", "FSDS514"}


def test_other_files_are_read_without_a_traceback() -> None:
    assert len([linted(file) for file in others()]) > 30


def test_page_is_current(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        corpus_report.PAGE.write_text(corpus_report.page(), encoding="utf-8")
    assert corpus_report.PAGE.read_text(encoding="utf-8") == corpus_report.page()
