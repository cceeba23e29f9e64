"""`fsds precision`, and what `fsds convert` says of precision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run

FSDP = "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n"
ZERO = "distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 3\n"
LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 128,
    "vocab_size": 128,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fsdp.yaml").write_text(FSDP, encoding="utf-8")
    (tmp_path / "zero.yaml").write_text(ZERO, encoding="utf-8")
    (tmp_path / "all.yaml").write_text(FSDP.replace("bf16", "'no'"), encoding="utf-8")
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    return tmp_path


def document(folder: Path, *arguments: str) -> dict[str, Any]:
    outcome = run(folder, "precision", *arguments, "--output-format", "json")
    assert outcome.status == 0, outcome.err
    return dict(json.loads(outcome.out))


def test_mode_is_named(folder: Path) -> None:
    mixed = run(folder, "precision", "fsdp.yaml", "--model-dtype", "bf16").out
    constrained = run(folder, "precision", "all.yaml", "--model-dtype", "bf16").out
    unknown = run(folder, "precision", "all.yaml").out
    assert mixed.startswith("fsdp.yaml: accelerate-fsdp2, mixed-precision: ")
    assert constrained.startswith("all.yaml: accelerate-fsdp2, memory-constrained: ")
    assert "--model-dtype decides" in unknown.splitlines()[0]


def test_two_files_stand_side_by_side(folder: Path) -> None:
    lines = run(folder, "precision", "fsdp.yaml", "zero.yaml", "--model-dtype", "bf16").out.splitlines()
    differing = [line.split()[1] for line in lines if line.startswith("!")]
    assert differing == ["prepared", "saved", "clipping"]
    assert lines[-1] == "3 of 15 stages differ"
    same = run(folder, "precision", "fsdp.yaml", "fsdp.yaml", "--model-dtype", "bf16").out
    assert same.splitlines()[-1] == "the same in every stage"


def test_json_says_the_same(folder: Path) -> None:
    found = document(folder, "fsdp.yaml", "zero.yaml", "--model-dtype", "bf16")
    assert [file["mode"] for file in found["files"]] == ["mixed-precision", "mixed-precision"]
    assert [pair["stage"] for pair in found["differences"]] == ["prepared", "saved", "clipping"]
    assert len(found["files"][0]["stages"]) == 15


def test_memory_is_that_of_the_file_and_its_counterparts(folder: Path) -> None:
    found = document(folder, "fsdp.yaml", "--model-dtype", "bf16", "--params", "8M")
    sizes = {entry["name"]: entry["device"] for entry in found["memory"]}
    steady = {
        name: sum(size[kind] for kind in ("parameters", "gradients", "optimizer")) for name, size in sizes.items()
    }
    assert steady == {"fsdp.yaml": 16_000_000, "as accelerate-fsdp1": 16_000_000, "as accelerate-deepspeed": 16_000_000}


def test_refused_counterpart_is_named(folder: Path) -> None:
    hybrid = FSDP.replace("2\n", "1\n  fsdp_sharding_strategy: HYBRID_SHARD\n").replace("8\n", "8\nnum_machines: 2\n")
    (folder / "hybrid.yaml").write_text(hybrid, encoding="utf-8")
    outcome = run(folder, "precision", "hybrid.yaml", "--model-dtype", "bf16", "--params", "8M")
    assert "accelerate-deepspeed: no counterpart: " in outcome.out


@pytest.mark.parametrize("config", ["config.json", "."])
def test_parameters_are_counted_from_the_config(folder: Path, config: str) -> None:
    assert document(folder, "fsdp.yaml", "--model-dtype", "bf16", "--model-config", config)["parameters"] == 98_624


def test_config_of_a_model_with_text_and_more(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"model_type": "vlm", "text_config": LLAMA}), encoding="utf-8")
    found = document(folder, "fsdp.yaml", "--model-dtype", "bf16", "--model-config", "config.json")
    assert found["parameters"] == 98_624


def test_table_of_the_concept_guide(folder: Path) -> None:
    rows = document(folder, "--table")["rows"]
    columns = ("loading", "preparation", "training", "optimizer")
    found = {row["framework"]: [row[column] for column in columns] for row in rows}
    assert found == {
        "FSDP (memory-constrained)": ["bf16", "bf16", "bf16", "bf16"],
        "FSDP (mixed precision mode)": ["bf16", "fp32", "bf16", "fp32"],
        "DeepSpeed": ["bf16", "fp32", "bf16", "fp32"],
        "DeepSpeed (memory-constrained)": ["bf16", "bf16", "bf16", "bf16"],
    }


def test_fourth_row_needs_its_release(folder: Path) -> None:
    rows = document(folder, "--table", "--deepspeed-version", "0.18.2")["rows"]
    assert len(rows) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no config is given"),
        (("--table", "fsdp.yaml"), "--table stands for itself"),
        (("-", "-"), "stdin can be read only once"),
        (("fsdp.yaml", "--params", "many"), "no number of parameters"),
        (("fsdp.yaml", "--model-config", "none.json"), "no such file"),
        (("fsdp.yaml", "--model-config", "fsdp.yaml"), "no config.json of a Transformers model"),
        (("all.yaml", "--params", "7B"), "give --model-dtype"),
    ],
)
def test_wrong_use_is_told(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "fsdp.yaml").write_text(FSDP, encoding="utf-8")
    outcome = run(folder, "precision", *arguments)
    assert outcome.status == 2
    assert message in outcome.err


def test_file_that_does_not_launch(folder: Path) -> None:
    (folder / "wrong.yaml").write_text(FSDP.replace("bf16", "bf61"), encoding="utf-8")
    outcome = run(folder, "precision", "wrong.yaml", "--model-dtype", "bf16")
    assert outcome.status == 1
    assert "bf61" in outcome.err


def test_convert_tells_what_changes_whatever_the_dtype(folder: Path) -> None:
    report = run(folder, "convert", "fsdp.yaml", "--to", "deepspeed").err
    known = run(folder, "convert", "fsdp.yaml", "--to", "deepspeed", "--model-dtype", "fp32").err
    assert "  prepared: fp32 -> bf16" in report
    assert "  loaded: " not in report
    assert "  loaded: fp32 -> bf16" in known


def test_convert_tells_it_in_json(folder: Path) -> None:
    found = json.loads(run(folder, "convert", "fsdp.yaml", "--to", "deepspeed", "--report", "json").err)
    assert [change["stage"] for change in found["precision"]] == ["prepared", "saved", "clipping"]
