"""The dtype of every stage: cases, the table behind them, and the plan beside them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fsds_convert.containers.reading import Reading
from fsds_convert.engines.stages import stages
from fsds_convert.precision.rows import STAGES, by_stage, mode_name, precision_of, question_of
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided
from fsds_convert.tables.load import load_document
from tests.tables.test_table_sources import near

from .case import Case, cases

CASES = cases()
FACTS = [(stage, entry) for stage, raw in load_document("precision")["stages"].items() for entry in raw["alternatives"]]
PARTS = load_document("memory")["parts"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    found = by_stage(precision_of(case.reading, case.context))
    assert {stage: found[stage] for stage in case.stages} == case.stages
    if case.mode is not None:
        assert mode_name(found) == case.mode


def test_every_alternative_has_a_case() -> None:
    questions = [(question_of(case.reading, case.context), case) for case in CASES]
    seen = {(stage, id(asked.alternative(stage))) for asked, case in questions for stage in case.stages}
    missing = [
        f"{stage.name}: {alternative.why}"
        for stage in stages().values()
        for alternative in stage.alternatives
        if (stage.name, id(alternative)) not in seen
    ]
    assert missing == []


def test_stages_are_those_of_the_table() -> None:
    assert tuple(stages()) == STAGES


@pytest.mark.parametrize(("stage", "fact"), FACTS, ids=lambda value: value if isinstance(value, str) else value["why"])
def test_alternative_stands_in_its_source(stage: str, fact: dict[str, Any]) -> None:
    assert fact["mentions"] in near(fact["source"])


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part["what"])
def test_part_stands_in_its_source(part: dict[str, Any]) -> None:
    assert part["mentions"] in near(part["source"])


@pytest.mark.parametrize("family", load_document("model-sizes")["families"].values(), ids=lambda row: row["source"])
def test_family_stands_in_its_source(family: dict[str, Any]) -> None:
    assert any(word in near(family["source"]) for word in ("nn.Linear(", "Conv1D(", "nn.Parameter("))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("dtype", ["fp32", "bf16", "fp16", None])
def test_plan_says_the_same(case: Case, dtype: Any) -> None:
    asked = replace(case, options={**case.options, "model_dtype": dtype})
    assert_plan_agrees(asked.reading, asked.context)


def assert_plan_agrees(reading: Reading, context: Context) -> None:
    """The fields of the plan are computed from the same table."""
    found = by_stage(precision_of(reading, context))
    plan = reading.runs.precision
    for stage, setting in (
        ("compute", plan.compute),
        ("master_weights", plan.master_weights),
        ("optimizer_states", plan.optimizer_states),
        ("autocast", plan.autocast),
    ):
        if stage == "autocast" and reading.engine != "deepspeed":
            continue  # Accelerate's own autocast is no key
        assert found[stage] == shown(setting.value), stage
    for stage, setting in (("reduction", plan.reduce), ("accumulation", plan.accumulate)):
        if not isinstance(setting.value, Decided) and plan.autocast.value is None:
            assert found[stage] == shown(setting.value), stage


def shown(value: Any) -> str:
    if value is None:
        return "none"
    return value.value if isinstance(value, Decided) else str(value)


def test_no_dtype_is_left_open_when_the_model_is_known() -> None:
    for case in CASES:
        if case.options.get("consumer") == "trainer":
            continue
        for dtype in ("fp32", "bf16", "fp16"):
            known = replace(case, options={**case.options, "model_dtype": dtype})
            values = by_stage(precision_of(known.reading, known.context))
            assert "as the model is loaded" not in " ".join(values.values()), case.name


def test_context_without_dtype_says_so() -> None:
    case = next(case for case in CASES if case.name == "fsdp1-unknown-dtype")
    assert by_stage(precision_of(case.reading, Context()))["prepared"] == "as the model is loaded"
