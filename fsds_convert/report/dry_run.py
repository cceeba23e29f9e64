"""What a dry run found, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from fsds_convert.dry_run.observation import Failure, Observation
from fsds_convert.dry_run.result import Report, Result, Training
from fsds_convert.dry_run.verdict import Check

_MARKS = {"same": "=", "differs": "!", "allowed": "~", "not seen": "-"}


def dry_run_lines(report: Report) -> Iterator[str]:
    """A block for each scenario: how each side ran, then a line for each comparison."""
    script = report.script
    loaded = f"model loaded in {script.model_dtype} (--model-dtype)"
    where = (
        f"in one process that takes itself for one of {report.world}" if report.world else f"on {report.machine.name}"
    )
    yield f"{script.steps} steps {where}; {loaded}"
    yield from (f"  {line}" for line in report.said)
    if report.world:
        yield "  collectives do nothing there: losses and gradient norms mean nothing, and are not reported"
    shown: set[tuple[str, str, str]] = set()
    for result in report.results:
        yield ""
        yield f"{result.scenario.name}: {_verdict(result)}"
        for training in result.trainings:
            yield from _training(training, shown)
        if result.pair:
            yield from _table(result)
        else:
            for training in result.trainings:
                yield from _predicted(training)
    yield ""
    passed = sum(result.passed for result in report.results)
    yield f"{'same' if report.passed else 'NOT the same'}: {passed} of {len(report.results)} scenarios pass"


def _verdict(result: Result) -> str:
    if any(isinstance(training.seen, Failure) for training in result.trainings):
        return "failed"
    if not result.passed:
        return "differs"
    return "same" if len(result.trainings) > 1 else "as predicted"


def _training(training: Training, shown: set[tuple[str, str, str]]) -> Iterator[str]:
    side, seen = training.side, training.seen
    yield f"  {side.label} ({side.reading.dialect}, {side.topology.processes} processes)"
    for override in training.run.overrides:
        key = (side.label, override.what, override.why)
        if not override.quiet and key not in shown:
            shown.add(key)
            yield f"    changed: {override.what}"
            yield f"      {override.why}"
    if isinstance(seen, Failure):
        yield from _failure(seen)
        return
    for check in training.alone:
        if not check.passed or check.name in ("load_state and on", "merge"):
            yield f"    {_MARKS[check.status]} {check.name}: {check.left} | {check.right}" + _why(check)
    elements = sorted(set(seen.elements))
    spread = f"{elements[0]}" if len(elements) == 1 else f"{elements[0]} to {elements[-1]}"
    yield (
        f"    {seen.asked_steps} steps in {seen.seconds:.1f} s; {spread} of {seen.trainable} elements a rank; "
        f"{seen.skipped} steps skipped"
    )


def _failure(failure: Failure) -> Iterator[str]:
    where = ", ".join(
        part for part in (f"rank {failure.rank}" if failure.rank is not None else "", failure.stage) if part
    )
    first, *rest = failure.message.splitlines() or [""]
    yield f"    failed{f' ({where})' if where else ''}: {first}"
    yield from (f"      {line}" for line in rest)
    if failure.log and (failure.rank is not None or failure.timeout):
        yield "    the end of its log:"
        yield from (f"      | {line}" for line in failure.log.splitlines())


def _table(result: Result) -> Iterator[str]:
    """A line a check: predicted (observed) of each side, and the mark of the comparison."""
    one, other = result.trainings
    cells = [("", one.side.label, other.side.label, "")]
    by_stage = [{check.name: check for check in training.predicted} for training in (one, other)]
    for check in result.pair:
        left, right = (
            _seen(side.get(check.name), text) for side, text in zip(by_stage, (check.left, check.right), strict=True)
        )
        cells.append(
            (
                f"{_MARKS[check.status]} {check.name}",
                left,
                right,
                "" if check.status == "same" and check.name in by_stage[0] else check.why,
            )
        )
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    for row in cells:
        text = "  ".join(cell.ljust(width) for cell, width in zip(row, (*widths, 0), strict=True))
        yield f"    {text}".rstrip()


def _seen(predicted: Check | None, observed: str) -> str:
    """What was seen, and beside it what was predicted where it is another thing."""
    if predicted is None:
        return observed
    if predicted.status == "differs":
        return f"{observed} (predicted {predicted.left})"
    if predicted.status == "not seen":
        return f"{observed or '-'} (predicted {predicted.left})"
    return observed


def _predicted(training: Training) -> Iterator[str]:
    for check in training.predicted:
        yield f"    {_MARKS[check.status]} {check.name}: {_seen(check, check.right)}" + _why(check)


def _why(check: Check) -> str:
    return f" ({check.why})" if check.why else ""


def dry_run_json(report: Report) -> dict[str, Any]:
    """Everything that was seen."""
    return {
        "format_version": "1",
        "verdict": "same" if report.passed else "differs",
        "machine": asdict(report.machine),
        "world": report.world,
        "script": {**asdict(report.script), "notes": list(report.said)},
        "scenarios": [_result_json(result) for result in report.results],
    }


def _result_json(result: Result) -> dict[str, Any]:
    return {
        "scenario": result.scenario.name,
        "verdict": _verdict(result),
        "sides": [_training_json(training) for training in result.trainings],
        "checks": _checks_json(result.pair),
    }


def _training_json(training: Training) -> dict[str, Any]:
    seen = training.seen
    return {
        "file": training.side.label,
        "dialect": training.side.reading.dialect,
        "processes": training.side.topology.processes,
        "command": training.run.launch.command(),
        "overrides": [asdict(override) for override in training.run.overrides],
        "failure": asdict(seen) if isinstance(seen, Failure) else None,
        "predicted": _checks_json(training.predicted),
        "checks": _checks_json(training.alone),
        "observed": asdict(seen) if isinstance(seen, Observation) else None,
    }


def _checks_json(checks: Sequence[Check]) -> list[dict[str, Any]]:
    return [asdict(check) for check in checks]
