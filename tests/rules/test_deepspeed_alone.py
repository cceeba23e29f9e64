"""A JSON for a script that calls deepspeed.initialize itself: nobody fills "auto", and Accelerate changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsds_convert.lint.outcome import FileReport
from tests.rules.case import Files, of_code, place

ALONE = {"consumer": "deepspeed"}


@pytest.fixture(autouse=True)
def _stay_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def _lint(text: str, folder: Path, consumer: str = "deepspeed") -> FileReport:
    return Files.of(text, "json", {"consumer": consumer}).lint(folder)


def test_auto_at_the_top_level_stops_the_job(tmp_path: Path) -> None:
    text = '{"train_micro_batch_size_per_gpu": 4, "gradient_clipping": "auto", "zero_optimization": {"stage": 2}}'
    found = of_code(_lint(text, tmp_path), "FSDS103")
    assert [place(each, "ds_config.json") for each in found] == ["1:60"]
    assert "TypeError" in found[0].diagnostic.note
    assert of_code(_lint(text, tmp_path, "accelerate"), "FSDS103") == []


def test_auto_in_a_section_is_dropped(tmp_path: Path) -> None:
    text = '{"train_micro_batch_size_per_gpu": 4, "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": "auto"}}'
    report = _lint(text, tmp_path)
    messages = [each.diagnostic.message for each in of_code(report, "FSDS104")]
    assert messages == ["`enabled: auto` is read as false", "`stage: auto` is read as 0"]


def test_the_word_auto_of_zenflow_is_its_default(tmp_path: Path) -> None:
    section = '{"stage": 2, "zenflow": {"select_interval": "auto", "select_strategy": "auto"}}'
    report = _lint(f'{{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {section}}}', tmp_path)
    assert [str(each.diagnostic) for each in report.findings if each.diagnostic.severity.value != "info"] == []


def test_what_accelerate_does_is_not_said(tmp_path: Path) -> None:
    """steps_per_print is read, an empty file is stage 0, and hjson takes comments."""
    text = '{\n  // by hand\n  "train_micro_batch_size_per_gpu": 4,\n  "steps_per_print": 10,\n}\n'
    codes = {each.diagnostic.code for each in _lint(text, tmp_path).findings}
    assert not codes & {"FSDS003", "FSDS105", "FSDS501", "FSDS518", "FSDS551"}
    assert codes >= {"FSDS504", "FSDS519"}


def test_the_old_name_of_bf16_is_read(tmp_path: Path) -> None:
    text = '{"train_micro_batch_size_per_gpu": 4, "bfloat16": {"enabled": true}, "zero_optimization": {"stage": 2}}'
    assert of_code(_lint(text, tmp_path), "FSDS105") == []
    assert len(of_code(_lint(text, tmp_path, "accelerate"), "FSDS105")) == 1


def test_an_accelerate_file_is_read_by_accelerate(tmp_path: Path) -> None:
    text = "distributed_type: DEEPSPEED\nnum_processes: 2\ndeepspeed_config: {gradient_clipping: auto}\n"
    report = Files.of(text, "yaml", ALONE).lint(tmp_path)
    assert [each for each in report.findings if each.diagnostic.severity.value == "error"] == []


@pytest.mark.parametrize("consumer", ["accelerate", "trainer"])
def test_accelerate_trips_over_auto_under_an_unknown_key(consumer: str, tmp_path: Path) -> None:
    text = '{"train_micro_batch_size_per_gpu": 4, "own": {"x": "auto"}, "zero_optimization": {"stage": 2}}'
    assert len(of_code(_lint(text, tmp_path, consumer), "FSDS101")) == 1
    assert len(of_code(_lint(text, tmp_path), "FSDS102")) == 1


def test_a_key_outside_of_its_section(tmp_path: Path) -> None:
    text = '{"train_micro_batch_size_per_gpu": 4, "offload_optimizer": {"device": "cpu"}, "zero_optimization": {}}'
    (found,) = of_code(_lint(text, tmp_path, "accelerate"), "FSDS102")
    assert found.diagnostic.message == "unknown key `offload_optimizer`; it belongs in `zero_optimization`"
