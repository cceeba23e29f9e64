"""No file makes `fsds lint` fail, hang, or spoil what it mends.

`python -m tests.lint.fuzz --minutes 10` runs the same property for as long as it is told, from counted seeds.
"""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsds_convert.diagnostics import Severity
from fsds_convert.errors import InputError
from fsds_convert.lint.lint_file import fix, lint
from fsds_convert.lint.outcome import FileReport, Outcome
from fsds_convert.lint.select import Selection
from fsds_convert.report.lint import render
from fsds_convert.settings.context import Context
from fsds_convert.syntax.source import load
from tests.lint.mutations import mutated

EVERYTHING = Selection(severity=Severity.INFO)
FORMATS = ("full", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown")
MAX_SECONDS = 2.0
CONTEXTS = (
    Context(),
    Context(consumer="trainer", model_dtype="bf16", training_args={"bf16": True, "max_grad_norm": 0.5}),
    Context(num_processes=8, optimizer="SGD", peft="qlora", model={"model_type": "mixtral", "hidden_size": 4096}),
)


def check(file: tuple[str, str], context: Context, format: str) -> FileReport | None:
    """Lints and mends one file; raises AssertionError where a promise is broken."""
    name, text = file
    started = time.process_time()
    try:
        source = load(text.encode("utf-8", "surrogatepass"), name)
    except InputError:
        return None
    report = lint(source, context, EVERYTHING)
    assert time.process_time() - started < MAX_SECONDS, "lint takes too long"
    if report is None:
        return None
    render(Outcome((report,)), format)  # type: ignore[arg-type]
    for unsafe in (False, True):
        fixed = fix(source, context, EVERYTHING, unsafe=unsafe)
        assert fixed is not None
        if isinstance(source.data, dict):
            assert isinstance(fixed.source.data, dict), "a fix broke the file"
        again = fix(fixed.source, context, EVERYTHING, unsafe=unsafe)
        assert again is not None
        assert again.source.text == fixed.source.text, "a second --fix changes something more"
    return report


def property_of(examples: int) -> Any:
    """The test over that many files."""

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
    @given(file=mutated(), context=st.sampled_from(CONTEXTS), format=st.sampled_from(FORMATS))
    def holds(file: tuple[str, str], context: Context, format: str) -> None:
        check(file, context, format)

    return holds


@pytest.mark.filterwarnings("ignore")
def test_no_file_breaks_it() -> None:
    settings.register_profile("quick", derandomize=True, database=None)
    settings.load_profile("quick")
    property_of(400)()
