"""`fsds explain`, `fsds mapping` and `fsds schema` on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fsds_convert.rules.catalog import catalog
from fsds_convert.schema.build import NAMES
from tests.cli.command import Outcome, on_terminal, run
from tests.schema.published import schema

WRONG = "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 3\n  fsdp_verson: 2\n  on: 1\n"


def fsds(folder: Path, line: str) -> Outcome:
    return run(folder, *line.split())


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("explain FSDS210", 0),
        ("explain fsds901 --output-format markdown", 0),
        ("explain zero_stage --output-format json", 0),
        ("explain stage", 0),
        ("explain no-such-word", 2),
        ("explain enabled", 2),
        ("explain", 2),
        ("explain FSDS210 --all", 2),
        ("explain FSDS210 --output-format html", 2),
        ("mapping", 0),
        ("mapping --engine fsdp2 --field offload", 0),
        ("mapping --output-format markdown", 0),
        ("mapping --field no_such_field", 2),
        ("mapping --engine ddp", 2),
        ("schema accelerate", 0),
        ("schema no-such-schema", 2),
        ("schema accelerate --check", 2),
        ("schema accelerate train.yaml", 2),
        ("schema accelerate --check no-such-file.yaml", 2),
    ],
)
def test_exit_status(tmp_path: Path, line: str, status: int) -> None:
    done = fsds(tmp_path, line)
    assert done.status == status, done.err
    assert bool(done.out) is (status == 0)
    assert bool(done.err) is (status != 0)
    assert "\x1b" not in done.out


def test_suggestion_stands_on_stderr(tmp_path: Path) -> None:
    assert "did you mean `zero_stage`?" in fsds(tmp_path, "explain zero_stge").err
    assert "did you mean `offload.optimizer`?" in fsds(tmp_path, "mapping --field offload.optimiser").err


def test_all_rules_as_json(tmp_path: Path) -> None:
    told = json.loads(fsds(tmp_path, "explain --all --output-format json").out)
    assert [rule["code"] for rule in told] == list(catalog())
    assert all(rule["why"] and rule["example"]["text"] for rule in told)


@pytest.mark.parametrize("name", NAMES)
def test_printed_schema_is_the_published_one(tmp_path: Path, name: str) -> None:
    assert json.loads(fsds(tmp_path, f"schema {name}").out) == schema(name)


@pytest.mark.parametrize("line", ["mapping --output-format json", "mapping --field offload --output-format json"])
def test_mapping_as_json(tmp_path: Path, line: str) -> None:
    told: list[dict[str, Any]] = json.loads(fsds(tmp_path, line).out)
    parameters = next(entry for entry in told if entry["field"] == "offload.parameters")
    assert parameters["keys"]["fsdp1"] == ["fsdp_config.fsdp_offload_params"]
    assert parameters["keys"]["deepspeed-json"] == ["zero_optimization.offload_param.device"]
    assert {"FSDS913", "FSDS914"} <= {row["code"] for row in parameters["conversions"]}


def test_check_says_what_and_where(tmp_path: Path) -> None:
    (tmp_path / "train.yaml").write_text(WRONG, encoding="utf-8")
    done = fsds(tmp_path, "schema accelerate --check train.yaml")
    assert done.status == 1
    assert done.out.splitlines() == [
        "train.yaml:3:17: `3` is not accepted: `fsdp_version` accepts `1`, `2`",
        "train.yaml:4:3: unknown key `fsdp_verson`; did you mean `fsdp_version`?",
        "train.yaml:5:3: unknown key `True`",
    ]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("accelerate", "num_processes: 8\n", "a:1:1: `distributed_type` is missing"),
        (
            "accelerate",
            "distributed_type: FSDP\nipex_config: {}\n",
            "a:2:1: `ipex_config` was removed in accelerate 1.13.0",
        ),
        (
            "accelerate",
            "distributed_type: FSDP\nfsdp_config: [1]\n",
            "a:2:14: `1` is not accepted: a mapping of keys is wanted",
        ),
        ("accelerate", "distributed_type: [FSDP\n", "a:1:19: "),
        ("accelerate", "- 1\n", "a:1:1: "),
        ("accelerate", "", "a:1:1: "),
        ("deepspeed", '{"zero_optimization": {"stag": 2}}', "a:1:24: unknown key `stag`; did you mean `stage`?"),
        ("deepspeed", '{"nebula": {}}', "a:1:2: `nebula` was removed in deepspeed 0.19.7"),
        (
            "deepspeed",
            '{"zero_optimization": {"stage": 4}}',
            "a:1:33: `4` is not accepted: `stage` accepts `0`, `1`, `2`, `3`",
        ),
        (
            "trainer-fsdp",
            '{"fsdp_version": 2, "reshard_after_forward": "full_shard"}',
            "a:1:46: `full_shard` is not accepted",
        ),
        ("trainer-fsdp", '{"version": 3}', "a:1:13: `3` is not accepted: `version` accepts `2`, `1`"),
    ],
)
def test_check_of_a_file(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / "a").write_text(text, encoding="utf-8")
    done = fsds(tmp_path, f"schema {name} --check a")
    assert done.status == 1
    assert done.out.startswith(said)
    assert len(done.out.splitlines()) == 1


def test_check_reads_stdin(tmp_path: Path) -> None:
    done = run(tmp_path, "schema", "accelerate", "--check", "-", stdin=WRONG.encode())
    assert done.out.startswith("<stdin>:3:17: ")


def test_check_of_good_files_is_silent(tmp_path: Path) -> None:
    examples = Path(__file__).parents[2] / "examples"
    done = run(tmp_path, "schema", "accelerate", "--check", *map(str, examples.glob("*.yaml")))
    assert (done.status, done.out, done.err) == (0, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_page_is_rendered_on_a_terminal(tmp_path: Path) -> None:
    shown = on_terminal(tmp_path, "explain", "stage", environment={})
    assert shown.status == 0
    assert "\x1b[" in shown.err
    assert "| stage 3 |" not in shown.err


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_page_is_plain_where_that_is_asked_for(tmp_path: Path, environment: dict[str, str]) -> None:
    shown = on_terminal(tmp_path, "explain", "stage", environment=environment)
    assert shown.status == 0
    assert "\x1b" not in shown.err
    assert shown.err.startswith("ZeRO stages and FSDP strategies\n\nZeRO ")
