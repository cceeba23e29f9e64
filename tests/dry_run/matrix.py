"""Trains every kind of config with its conversion: `python -m tests.dry_run.matrix`, or `make matrix`.

--quick is the part that the test suite runs, --all adds every scenario, --resume FILE goes on where a run has ended.
Each result is kept at once; the page is written at the end.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from fsds_convert.dry_run.table import scenarios
from tests.dry_run.cells import Cell, load, run_all
from tests.dry_run.configs import config
from tests.dry_run.results_page import MATRIX, write_page

PRECISIONS = ("no", "bf16", "fp16")
LOADED = ("fp32", "bf16")
STRATEGIES = ("FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD", "HYBRID_SHARD_ZERO2")


def _fsdp1(strategy: str, precision: str) -> dict[str, Any]:
    several = {"num_machines": 2, "machine_rank": 0, "num_processes": 4} if strategy.startswith("HYBRID") else {}
    return config("fsdp1", {"mixed_precision": precision, **several}, {"fsdp_sharding_strategy": strategy})


def _fsdp2(reshard: bool, precision: str) -> dict[str, Any]:
    return config("fsdp2", {"mixed_precision": precision}, {"fsdp_reshard_after_forward": reshard})


def _hsdp(precision: str) -> dict[str, Any]:
    sizes = {"parallelism_config_dp_replicate_size": 2, "parallelism_config_dp_shard_size": 2}
    return config("fsdp2", {"mixed_precision": precision, "num_processes": 4, "parallelism_config": sizes})


def _inline(stage: int, precision: str) -> dict[str, Any]:
    made = config("deepspeed", {"mixed_precision": precision}, {"zero_stage": stage})
    if stage != 3:
        made["deepspeed_config"] = {
            name: value for name, value in made["deepspeed_config"].items() if not name.startswith("zero3")
        }
    return made


def _json(stage: int, precision: str) -> dict[str, Any]:
    mode = {} if precision == "no" else {precision: {"enabled": True}}
    return {
        **mode,
        "zero_optimization": {"stage": stage},
        "gradient_accumulation_steps": 1,
        "gradient_clipping": 1.0,
        "train_batch_size": "auto",
        "train_micro_batch_size_per_gpu": "auto",
    }


def kinds(precision: str) -> Iterator[tuple[str, dict[str, Any], tuple[str, ...]]]:
    """A name, the config and its targets; the first target is that of the matrix, the others are of --all."""
    for strategy in STRATEGIES:
        yield f"FSDP1 {strategy}", _fsdp1(strategy, precision), ("deepspeed", "fsdp2")
    yield "FSDP2 reshard", _fsdp2(True, precision), ("deepspeed", "fsdp1")
    yield "FSDP2 no reshard", _fsdp2(False, precision), ("deepspeed", "fsdp1")
    yield "FSDP2 HSDP", _hsdp(precision), ("deepspeed", "fsdp1")
    for stage in range(4):
        replicates = stage == 0  # FSDP2 cannot
        yield (
            f"ZeRO-{stage} inline",
            _inline(stage, precision),
            ("fsdp1", "fsdp2") if replicates else ("fsdp2", "fsdp1"),
        )
        yield f"ZeRO-{stage} JSON", _json(stage, precision), ("fsdp1", "fsdp2")


def cells(every_scenario: bool = False, every_target: bool = False) -> Iterator[Cell]:
    """In the order in which they are run: the configs as they are first, the slow ones of four processes last."""
    names = [each.name for each in scenarios()] if every_scenario else [scenarios()[0].name]
    found = [
        _cell(kind, data, target, precision, loaded, scenario)
        for scenario in names
        for number in range(2 if every_target else 1)
        for precision in PRECISIONS
        for loaded in LOADED
        for kind, data, targets in kinds(precision)
        for target in targets[number : number + 1]
    ]
    yield from sorted(found, key=lambda cell: (names.index(cell.scenario), cell.processes))


def _cell(kind: str, data: dict[str, Any], target: str, precision: str, loaded: str, scenario: str) -> Cell:
    is_json = kind.endswith("JSON")
    text = json.dumps(data, indent=2) if is_json else yaml.safe_dump(data)
    name = f"{kind} | {precision} | {loaded} | {target} | {scenario}"
    return Cell(name, "a.json" if is_json else "a.yaml", text, target, loaded, data.get("num_processes", 2), scenario)


def quick() -> list[Cell]:
    """What the test suite runs: two processes, no and bf16."""
    return [cell for cell in cells() if cell.processes == 2 and " | fp16 | " not in cell.name]


def main() -> None:
    """Runs, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two processes, no and bf16")
    parser.add_argument("--all", action="store_true", help="every scenario, and the other target of each config")
    parser.add_argument("--resume", type=Path, help="a file of results to go on with")
    parser.add_argument("--minutes", type=float, help="start no cell after that time")
    parser.add_argument("--only", default="", help="cells whose name holds this")
    parser.add_argument("--steps", type=int, default=20)
    asked = parser.parse_args()
    until = time.time() + 60 * asked.minutes if asked.minutes is not None else None
    chosen = quick() if asked.quick else list(cells(asked.all, asked.all))
    path = asked.resume or MATRIX
    known = load(path) if asked.resume else {}
    run_all([cell for cell in chosen if asked.only in cell.name], path, known, until, asked.steps)
    write_page(matrix=path, asked=[cell.name for cell in cells(True, True)], steps=asked.steps)


if __name__ == "__main__":
    main()
