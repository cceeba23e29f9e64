"""The Trainer's two tables, and what fsds says of its files, against Transformers itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("accelerate")
pytest.importorskip("deepspeed")
pytest.importorskip("transformers")

from fsds_convert.diagnostics import Severity
from fsds_convert.lint.check import Checked, check
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Row
from tests.oracle import trainer
from tests.oracle.outcome import ONLY_A_RUN_SHOWS, Refused

from .spellings import spelled, wrong

CONFIG = load_table("trainer-fsdp")
ARGUMENTS = load_table("training-args")
VERSIONS = {"fsdp1": 1, "fsdp2": 2}
# what makes a key do something
NEEDS: dict[str, dict[str, Any]] = {
    "min_num_params": {"auto_wrap_policy": "SIZE_BASED_WRAP"},
    "auto_wrap_policy": {"min_num_params": 10},
}
_NUMBER = "taken as a number here, and as a wrong value by fsds, since no later release knows it"
_ENUM = "kept as it is, and then equal to none of the types: nobody writes a number"
# (key, value as text): why fsds says something else on purpose
DIFFERING = {
    ("version", "97"): _NUMBER,
    ("version", "1.5"): _NUMBER,
    ("version", "True"): _NUMBER,
    ("state_dict_type", "1"): _ENUM,
    ("state_dict_type", "2"): _ENUM,
    ("state_dict_type", "3"): _ENUM,
    ("state_dict_type", "97"): _ENUM,
    ("state_dict_type", "1.5"): _ENUM,
    ("state_dict_type", "True"): _ENUM,
    ("state_dict_type", "['nonsense']"): _ENUM,
    ("state_dict_type", "None"): "the plugin's own default, which is no word of the Trainer's",
    ("backward_prefetch", "1"): _ENUM,
    ("backward_prefetch", "2"): _ENUM,
    ("transformer_layer_cls_to_wrap", "auto"): "a model may have a class of that name",
    ("min_num_params", "True"): "a boolean is an integer in Python",
    ("min_num_params", "0"): "no module is smaller: see FSDS621",
}


def lint(folder: Path, text: Any, name: str = "fsdp_config.json", **context: Any) -> Checked:
    path = folder / name
    path.write_text(json.dumps(text), encoding="utf-8")
    found = check(read_source(str(path)), Context(consumer="trainer", **context))
    assert found is not None
    return found


def test_every_key_that_transformers_reads_has_a_row() -> None:
    assert sorted(trainer.fsdp_config_keys() - {row.name for row in CONFIG}) == []


def questions(row: Row) -> list[tuple[str, Any]]:
    engines = row.engines or tuple(VERSIONS)
    values = [value for value in (*spelled(row), *wrong(row)) if not isinstance(value, float) or value == value]
    return [(engine, value) for engine in engines for value in values]


READ = [row for row in CONFIG if row.type != "dead" and not row.name.startswith("xla")]


@pytest.mark.parametrize("row", READ, ids=lambda row: f"{row.name}{list(row.engines)}")
def test_row(row: Row, tmp_path: Path) -> None:
    """Each spelling runs as the row says, and each wrong value is refused."""
    problems = []
    for engine, value in questions(row):
        config = {"fsdp_version": VERSIONS[engine], **NEEDS.get(row.name, {}), row.name: value}
        if row.name == "version":
            config.pop("fsdp_version")
            config["reshard_after_forward"] = "1"  # taken by both
        if (row.name, str(value)) in DIFFERING:
            continue
        theirs, ours = trainer.fsdp_settings(config), lint(tmp_path, config)
        launches = ("value-misread", *ONLY_A_RUN_SHOWS)
        refused = [str(f) for f in ours.findings if f.severity is Severity.ERROR and f.name not in launches]
        if isinstance(theirs, Refused) or refused:
            if bool(refused) is not isinstance(theirs, Refused):
                problems.append(f"{engine}, {value!r}: {theirs} / {refused}")
            continue
        runs = ours.facts.settings[row.key].value if ours.facts and row.key in ours.facts.settings else None
        if plain(runs) != plain(theirs[row.plugin or row.name]):
            problems.append(f"{engine}, {value!r}: {theirs[row.plugin or row.name]} / {runs}")
    assert problems == []


def plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return list(value)
    return None if value == "NO_PREFETCH" else value


IDLE = [(row, engine) for row in CONFIG for engine in VERSIONS if row.engines and engine not in row.engines]
DEAD = [(row, engine) for row in CONFIG if row.type == "dead" for engine in VERSIONS]


@pytest.mark.parametrize(("row", "engine"), [*IDLE, *DEAD], ids=lambda each: getattr(each, "name", each))
def test_key_that_is_not_read(row: Row, engine: str) -> None:
    """Nothing changes with it, whatever it says."""
    if row.name in ("reshard_after_forward", "state_dict_type"):
        return  # another row of the key acts there
    without = {"version": VERSIONS[engine]}
    for value in (True, "words", 3):
        assert trainer.fsdp_settings({**without, row.name: value}) == trainer.fsdp_settings(without)


WORDS = (
    *("full_shard", "full_shard auto_wrap", "shard_grad_op offload", "FULL_SHARD", "hybrid_shard", "no_shard", "true"),
    *("hybrid_shard_zero2 auto_wrap", "offload", "auto_wrap", "AUTO_WRAP", "full shard", ["full_shard"], ["true"]),
)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("fsdp", WORDS, ids=str)
def test_words(fsdp: Any, version: int, tmp_path: Path) -> None:
    """Words of `fsdp` run as the keys that they stand for, or are refused."""
    config = {"version": version}
    theirs = trainer.fsdp_settings(config, fsdp)
    ours = lint(tmp_path, {"output_dir": "out", "fsdp": fsdp, "fsdp_config": config}, "args.json")
    refused = [found for found in ours.findings if found.severity is Severity.ERROR]
    if isinstance(theirs, Refused):
        assert refused
        assert all(found.name == "fsdp-option-refused" for found in refused)
        assert refused[0].note.removeprefix("ValueError: ") in theirs.message
        return
    assert refused == []
    assert ours.facts is not None
    for name in ("cpu_offload", "reshard_after_forward"):
        row = CONFIG.row(f"fsdp_config.{name}", ours.facts.engine)
        assert row is not None
        assert ours.facts.settings[row.key].value == theirs[row.plugin or name]


@pytest.mark.parametrize("row", ARGUMENTS.rows, ids=lambda row: row.name)
def test_argument(row: Row) -> None:
    """It is a field of TrainingArguments, with the default of the table."""
    fields = trainer.defaults()
    assert row.name in fields
    for default in row.defaults:
        assert fields[row.name] == default.value
    if row.type in ("env-int", "env-float"):
        assert row.defaults


def test_every_argument_that_a_deepspeed_json_is_held_against_has_a_row() -> None:
    known = {row.name for row in ARGUMENTS} | {"world_size", "get_warmup_steps"}
    assert sorted(trainer.compared_arguments() - known) == []


FULL: dict[str, Any] = {
    "train_micro_batch_size_per_gpu": 4,
    "gradient_accumulation_steps": 2,
    "train_batch_size": 64,
    "gradient_clipping": 0.5,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "betas": [0.9, 0.95], "eps": 1e-6, "weight_decay": 0.1}},
    "scheduler": {
        "type": "WarmupDecayLR",
        "params": {"warmup_max_lr": 1e-4, "warmup_num_steps": 10, "total_num_steps": 100},
    },
    "bf16": {"enabled": True},
    "fp16": {"enabled": False},
    "zero_optimization": {"stage": 2},
}
FITTING: dict[str, Any] = {
    **{"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2, "max_grad_norm": 0.5, "bf16": True},
    **{"learning_rate": 1e-4, "adam_beta2": 0.95, "adam_epsilon": 1e-6, "weight_decay": 0.1},
    **{"warmup_steps": 10, "max_steps": 100},
}
ARGUED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (FULL, FITTING),
    (FULL, {"max_steps": 50}),
    (FULL, {**FITTING, "gradient_accumulation_steps": 4}),
    (FULL, {**FITTING, "warmup_steps": 0.2}),
    (FULL, {**FITTING, "bf16": False, "fp16": True}),
    (FULL, {**FITTING, "bf16": False, "bf16_full_eval": True}),
    ({**FULL, "gradient_accumulation_steps": "auto", "optimizer": {"type": "AdamW", "params": {"lr": "auto"}}}, {}),
    ({"zero_optimization": {"stage": 3}, "gradient_accumulation_steps": "2"}, {"gradient_accumulation_steps": 2}),
    ({"zero_optimization": {"stage": 3}, "scheduler": {"params": {"warmup_num_steps": 0}}}, {"max_steps": 10}),
]


@pytest.mark.parametrize(("config", "arguments"), ARGUED, ids=range(len(ARGUED)))
def test_mismatches(config: dict[str, Any], arguments: dict[str, Any], tmp_path: Path) -> None:
    """The list that the Trainer raises, line by line."""
    theirs = trainer.mismatches(config, {"max_steps": 100, **arguments}, world_size=8)
    found = lint(tmp_path, config, training_args={"max_steps": 100, **arguments}, num_processes=8).findings
    ours = [each.note.rpartition(" - ")[2] for each in found if each.name == "deepspeed-values-mismatch"]
    assert sorted(ours) == sorted(theirs)


INLINE: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"gradient_accumulation_steps": 4, "gradient_clipping": 0.5}, "bf16", {"bf16": True}),
    ({"gradient_accumulation_steps": 4, "gradient_clipping": 0.5}, "no", {"gradient_accumulation_steps": 4}),
    ({}, "bf16", {}),
    ({}, "fp16", {"bf16": True, "max_grad_norm": 0.2}),
    ({"gradient_clipping": 0}, "no", {"gradient_accumulation_steps": 8}),
]


@pytest.mark.parametrize(("section", "precision", "arguments"), INLINE, ids=range(len(INLINE)))
def test_mismatches_inline(section: dict[str, Any], precision: str, arguments: dict[str, Any], tmp_path: Path) -> None:
    """The same for what the launcher exports of an Accelerate file."""
    asked = next((word for word in ("fp16", "bf16") if arguments.get(word)), precision)
    exported = {f"ACCELERATE_{key.upper()}": str(value) for key, value in section.items()}
    theirs = trainer.mismatches(trainer.inline_config(exported, asked), arguments)
    file = {
        "distributed_type": "DEEPSPEED",
        "num_processes": 8,
        "mixed_precision": precision,
        "deepspeed_config": {"zero_stage": 2, **section},
    }
    found = lint(tmp_path, file, "train.json", training_args=arguments).findings
    ours = [each.note.rpartition(" - ")[2] for each in found if each.name == "deepspeed-values-mismatch"]
    assert sorted(ours) == sorted(theirs)
