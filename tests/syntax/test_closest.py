from __future__ import annotations

import subprocess
import sys

import pytest

from fsds_convert.syntax.closest import closest

KEYS = [
    "fsdp_sharding_strategy",
    "fsdp_offload_params",
    "fsdp_version",
    "fsdp_state_dict_type",
    "zero3_save_16bit_model",
    "zero3_init_flag",
]
NAMES = ["FULL_SHARD", "SHARD_GRAD_OP", "HYBRID_SHARD", "fsdp1", "fsdp2", "deepspeed", "bf16", "fp16", "no"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("fsdp_shardng_strategy", "fsdp_sharding_strategy"),
        ("FSDP_SHARDING_STRATEGY", "fsdp_sharding_strategy"),
        ("fsdp-offload-params", "fsdp_offload_params"),
        ("sharding_strategy", "fsdp_sharding_strategy"),
        ("fsdp_offload_param", "fsdp_offload_params"),
        ("zero3_save_16bit_weights", "zero3_save_16bit_model"),
        ("gradient_clipping", None),
        ("", None),
    ],
)
def test_keys(word: str, expected: str | None) -> None:
    assert closest(word, KEYS) == closest(word, set(KEYS)) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("full_shard", "FULL_SHARD"),
        ("FullShard", "FULL_SHARD"),
        ("FULL_SHRAD", "FULL_SHARD"),
        ("bf61", "bf16"),
        ("depspeed", "deepspeed"),
        ("megatron", None),
    ],
)
def test_values(word: str, expected: str | None) -> None:
    assert closest(word, NAMES) == expected


def test_nothing_to_choose_from() -> None:
    assert closest("a", []) is None


def test_difflib_is_imported_only_for_a_wrong_name() -> None:
    code = (
        "import sys; from fsds_convert.syntax.closest import closest\n"
        "closest('A', ['a']), closest('b', []), print('difflib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
