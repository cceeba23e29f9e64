"""Writes docs/results/dry-run.md from the outcomes that matrix.py and corpus_pairs.py have kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.dry_run.cells import load, versions

RESULTS = Path(__file__).parents[2] / "docs" / "results"
PAGE = RESULTS / "dry-run.md"
MATRIX = RESULTS / "dry-run-matrix.json"
CORPUS = RESULTS / "dry-run-corpus.json"
WITHIN = 0.05

_MEANING = {
    "passed": "both trained as predicted, and the pair within its tolerance",
    "foretold": "both trained as predicted; they differ, in the rows in which `fsds precision` and the report of the "
    "conversion say so",
    "refused": "the conversion refuses; the config alone trained as predicted",
    "failed": "something is not as predicted, out of tolerance, or did not train",
    "no launch": "upstream refuses the config, and `fsds` says so of the file before it is launched",
    "cannot": "not possible without a GPU",
}

# what was found behind failures, in the sources of the releases above
_BEHIND = (
    (
        "steps taken: 20 / 19",
        "FSDP2 in fp16: Accelerate gives it `output_dtype` fp16 (accelerate/utils/dataclasses.py:2141), so the loss "
        "that the model returns is fp16, and the first loss scale, 65536, overflows its gradient: the first step is "
        "skipped, and the scale halved. DeepSpeed scales an fp32 loss and skips nothing: its curve is one step ahead.",
    ),
    (
        "norm at the step: 0.000020",
        "ZeRO-0 in fp16: DeepSpeed does not scale the loss, since `scale_if_loss` "
        "(deepspeed/runtime/base_optimizer.py:423) looks for a `loss_scaler` that the optimizer of ZeRO-0 does not "
        "have, and divides the gradients by the scale all the same (deepspeed/runtime/fp16/unfused_optimizer.py:256): "
        "it steps with gradients 65536 times too small.",
    ),
)


def write_page(matrix: Path = MATRIX, corpus: Path = CORPUS, asked: Sequence[str] = (), steps: int = 20) -> None:
    """`asked` are all cells that there are, so that those which did not run can be listed."""
    PAGE.write_text("\n".join(_page(load(matrix), load(corpus), asked, steps)) + "\n", "utf-8")


def _page(matrix: Mapping[str, Any], corpus: Mapping[str, Any], asked: Sequence[str], steps: int) -> Iterator[str]:
    packages = ", ".join(f"{name} {number}" for name, number in versions().items())
    yield "# Dry runs of every kind of config with its conversion"
    yield ""
    yield f"Really trained: {steps} steps of the tiny Llama, on a CPU of two cores over gloo, 2 processes (4 for a"
    yield f"hybrid config), by what `fsds dry-run FILE --to TARGET` runs ({packages})."
    yield "Written by `make matrix` and `python -m tests.dry_run.corpus_pairs`; each outcome, with the bytes that were"
    yield "counted, is in [dry-run-matrix.json](dry-run-matrix.json) and [dry-run-corpus.json](dry-run-corpus.json)."
    yield "No GPU was used. Seconds are of both trainings, without the imports, which are paid once; other work ran on"
    yield "the same cores."
    yield ""
    yield from (f"- {status}: {meaning}" for status, meaning in _MEANING.items())
    yield from _matrix(matrix, asked)
    yield from _memory(matrix)
    yield from _corpus(corpus)


def _summary(outcomes: Mapping[str, Any]) -> Iterator[str]:
    counted = Counter(outcome["status"] for outcome in outcomes.values())
    rows: Counter[str] = Counter()
    for outcome in outcomes.values():
        rows.update(outcome["rows"])
    seconds = sum(outcome["seconds"] for outcome in outcomes.values())
    yield ""
    yield (
        f"{len(outcomes)} ran in {seconds / 60:.1f} minutes: "
        + ", ".join(f"{counted[status]} {status}" for status in _MEANING if counted[status])
        + f". Of {sum(rows.values())} predicted rows {rows['same']} are as observed, {rows['differs']} are not, and "
        f"{rows['not seen']} could not be seen (nothing frozen, and the like)."
    )


def _matrix(outcomes: Mapping[str, Any], asked: Sequence[str]) -> Iterator[str]:
    yield ""
    yield "## Matrix"
    yield from _summary(outcomes)
    yield ""
    yield "| config | mixed precision | loaded | converted to | scenario | predicted rows | loss | seconds | result |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, outcome in outcomes.items():
        yield f"| {name} | {_rows(outcome)} | {outcome['loss']} | {outcome['seconds']} | {outcome['status']} |"
    yield from _reasons(outcomes)
    missing = [name for name in asked if name not in outcomes]
    yield ""
    yield "### Not run"
    yield ""
    if not missing:
        yield "Nothing."
        return
    yield f"{len(missing)} of {len(asked)} cells, for want of time; `make matrix` runs them:"
    yield ""
    groups: dict[str, list[str]] = {}
    for name in missing:
        config, *rest = name.split(" | ")
        groups.setdefault(rest[-1], []).append(" ".join((config, *rest[:2], "to", rest[2])))
    for scenario, names in groups.items():
        shown = "; ".join(names) if len(names) <= 60 else f"{len(names)} cells"
        yield f"- {scenario}: {shown}"


def _rows(outcome: Mapping[str, Any]) -> str:
    rows = outcome["rows"]
    if not rows:
        return ""
    return f"{rows['same']} of {rows['same'] + rows['differs']}"


def _reasons(outcomes: Mapping[str, Any]) -> Iterator[str]:
    for status in ("failed", "foretold", "refused", "cannot"):
        by_reason: dict[str, list[str]] = {}
        for name, outcome in outcomes.items():
            if outcome["status"] == status:
                by_reason.setdefault(_cell_text(outcome["why"]), []).append(name.replace(" | ", ", "))
        if by_reason:
            yield ""
            yield f"### {status.capitalize()}"
            yield ""
            yield from (f"- {'; '.join(names)}: {reason}" for reason, names in by_reason.items())
        if status == "failed":
            texts = " ".join(by_reason)
            behind = [why for sign, why in _BEHIND if sign in texts]
            yield from ("", "Behind it:", "", *(f"- {why}" for why in behind)) if behind else ()


def _memory(outcomes: Mapping[str, Any]) -> Iterator[str]:
    """Every side of every cell: what mappings/memory.yaml says of a rank against the bytes of its tensors."""
    yield ""
    yield "## Memory"
    yield ""
    yield "What `fsds precision --params` says that a rank holds, against the bytes of the tensors that it held (mean"
    yield "of the ranks): parameters; master weights and optimizer states; gradients before the step. Transient"
    yield "parts are not counted."
    yield ""
    yield "| side | part | counted | within 5 % | largest difference |"
    yield "|---|---|---|---|---|"
    found: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for name, outcome in outcomes.items():
        for number, side in enumerate(outcome["memory"]):
            for kind in ("parameters", "optimizer", "gradients"):
                predicted, counted = side[kind]
                off = abs(predicted - counted) / counted if counted else float(predicted != 0)
                which = "as written" if number == 0 else "converted"
                whose = f"{name.replace(' | ', ', ')}, {which}: {predicted} for {counted}"
                found.setdefault((side["side"], kind), []).append((off, whose))
    for (side, kind), offs in sorted(found.items()):
        within = sum(off <= WITHIN for off, _ in offs)
        yield f"| {side} | {kind} | {len(offs)} | {within} | {max(offs)[0]:.1%} |"
    beyond = [
        whose
        for (_, kind), offs in sorted(found.items())
        for whose in (f"{kind}, {text}" for off, text in offs if off > WITHIN)
    ]
    if beyond:
        yield ""
        yield "Beyond 5 %:"
        yield ""
        yield from (f"- {each}" for each in beyond)


def _corpus(outcomes: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield "## Published configs"
    yield ""
    yield "Files that people published, as they are but for the processes; an Accelerate file whose DeepSpeed JSON is"
    yield "not there is given another published one. Trainer and axolotl files are no input of `accelerate launch`."
    yield from _summary(outcomes)
    yield ""
    yield "| file | converted to | rows as predicted | loss | seconds | result | why |"
    yield "|---|---|---|---|---|---|---|"
    for name, outcome in outcomes.items():
        why = _cell_text(outcome["why"])
        yield f"| {name} | {_rows(outcome)} | {outcome['loss']} | {outcome['seconds']} | {outcome['status']} | {why} |"


def _cell_text(text: str) -> str:
    line = text.replace("|", "/")
    return line if len(line) <= 300 else f"{line[:300]}..."
