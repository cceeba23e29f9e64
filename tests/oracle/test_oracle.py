"""The oracle against facts read in upstream's source; a failure here is a new upstream release or a broken oracle."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("accelerate")
pytest.importorskip("deepspeed")

from . import corpus, deepspeed_config, plugins, prepare, upstream_keys
from .launcher import Launched, launch
from .outcome import Refused

FSDP = "distributed_type: FSDP\nnum_processes: 8\n"
DEEPSPEED = "distributed_type: DEEPSPEED\nnum_processes: 8\n"
MESH = "parallelism_config_dp_replicate_size: 2, parallelism_config_dp_shard_size"

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    (FSDP, {"engine": "fsdp1", "sharding_strategy": "FULL_SHARD", "state_dict_type": "FULL_STATE_DICT"}),
    (FSDP + "fsdp_config: {fsdp_reshard_after_forward: SHARD_GRAD_OP}", {"sharding_strategy": "FULL_SHARD"}),
    (FSDP + "fsdp_config: {fsdp_sharding_strategy: 2}", {"sharding_strategy": "SHARD_GRAD_OP"}),
    (FSDP + "fsdp_config: {sharding_strategy: NO_SHARD}", {"sharding_strategy": "NO_SHARD"}),
    (FSDP + "fsdp_config: {fsdp_sharding_stratgy: NO_SHARD}", {"sharding_strategy": "FULL_SHARD"}),
    (FSDP + "fsdp_config: {fsdp_offload_params: yes}", {"cpu_offload": True, "backend": "cuda:nccl,cpu:gloo"}),
    (FSDP + "fsdp_config: {fsdp_offload_params: 'yes'}", {"cpu_offload": True, "backend": "nccl"}),
    (FSDP + "fsdp_config: {fsdp_auto_wrap_policy: SIZE_BASED_WRAP}", {"min_num_params": 100_000_000}),
    (
        FSDP + "fsdp_config: {fsdp_auto_wrap_policy: SIZE_BASED_WRAP, fsdp_min_num_params: 0}",
        {"auto_wrap_policy": "NO_WRAP"},
    ),
    (FSDP + "fsdp_config: {fsdp_version: 2, fsdp_forward_prefetch: true}", {"forward_prefetch": None}),
    (
        FSDP + "mixed_precision: bf16\nfsdp_config: {fsdp_version: 2}",
        {
            "engine": "fsdp2",
            "reshard_after_forward": True,
            "state_dict_type": "SHARDED_STATE_DICT",
            "mixed_precision_policy": dict.fromkeys(("param_dtype", "reduce_dtype", "output_dtype"), "bfloat16"),
        },
    ),
    (FSDP + "fsdp_config: {fsdp_version: 2}\nparallelism_config: {dp_shard_size: 4}", {"engine": "fsdp2"}),
    (FSDP + "num_machines: 3", {"processes": 6}),
    (FSDP.replace("8", "gpu"), {"processes": 8}),
    (FSDP.replace("FSDP", "NO"), {"engine": "single", "processes": 1}),
    (FSDP.replace("FSDP", "MULTI_GPU") + "fsdp_config: {fsdp_offload_params: true}", {"engine": "ddp"}),
    (DEEPSPEED, {"engine": "deepspeed", "zero_stage": 2, "zero3_init_flag": False}),
    (DEEPSPEED + "deepspeed_config: {zero_stage: 3, zero3_save_16bit_model: 1}", {"zero3_save_16bit_model": False}),
]

REFUSALS: list[tuple[str, str, str, str]] = [
    (FSDP + "mixed_precision: no", "launcher", "AttributeError", "'bool' object has no attribute 'lower'"),
    (FSDP + "zero_stage: 3", "launcher", "ValueError", "had unknown keys (['zero_stage'])"),
    (FSDP + "gpu_ids: 0", "launcher", "AttributeError", "'int' object has no attribute 'split'"),
    (FSDP + "main_process_port: '29500'", "launcher", "TypeError", "cannot be interpreted as an integer"),
    (FSDP.replace("8", "two"), "launcher", "ValueError", "Unsupported nproc_per_node value: two"),
    (FSDP.replace("8", "0"), "launcher", "AssertionError", ""),
    (
        FSDP + "fsdp_config: {fsdp_sync_module_states: false}",
        "launcher",
        "ValueError",
        "fsdp_cpu_ram_efficient_loading",
    ),
    (FSDP + "fsdp_config: {fsdp_version: 3}", "plugin", "KeyError", "'TRUE'"),
    (FSDP + "fsdp_config: {fsdp_version: 2, fsdp_state_dict_type: LOCAL_STATE_DICT}", "plugin", "ValueError", "LOCAL"),
    (
        FSDP + f"fsdp_config: {{fsdp_version: 2}}\nparallelism_config: {{{MESH}: 2}}",
        "plugin",
        "ValueError",
        "total_size (4) does not match num_processes (8)",
    ),
    (
        FSDP + f"fsdp_config: {{fsdp_version: 2}}\nparallelism_config: {{{MESH}: 8}}",
        "plugin",
        "RuntimeError",
        "Mesh should not be bigger than default world size 8, but found 16 ranks",
    ),
    (
        DEEPSPEED + "deepspeed_config: {gradient_accumulation_steps: auto}",
        "plugin",
        "ValueError",
        "invalid literal for int() with base 10: 'auto'",
    ),
]

CLIPPING = [("", 1.0), ("gradient_clipping: 0", 1.0), ("gradient_clipping: .inf", float("inf"))]


def asked(tmp_path: Path, text: str) -> Launched | Refused:
    path = tmp_path / "accelerate.yaml"
    path.write_text(text, encoding="utf-8")
    return launch(path)


def launched(tmp_path: Path, text: str) -> Launched:
    answer = asked(tmp_path, text)
    assert isinstance(answer, Launched), answer
    return answer


@pytest.mark.parametrize(("text", "expected"), SETTINGS)
def test_settings(tmp_path: Path, text: str, expected: dict[str, Any]) -> None:
    found = plugins.settings(launched(tmp_path, text))
    assert not isinstance(found, Refused), found
    assert {name: found[name] for name in expected} == expected
    json.dumps(found)


@pytest.mark.parametrize(("text", "stage", "error", "message"), REFUSALS)
def test_refusals(tmp_path: Path, text: str, stage: str, error: str, message: str) -> None:
    answer = asked(tmp_path, text)
    found = plugins.settings(answer) if isinstance(answer, Launched) else answer
    assert isinstance(found, Refused)
    assert (found.stage, found.error_type) == (stage, error)
    assert message in found.message


@pytest.mark.parametrize(("line", "expected"), CLIPPING)
def test_inline_zero_does_not_switch_clipping_off(tmp_path: Path, line: str, expected: float) -> None:
    handed = prepare.prepare(launched(tmp_path, f"{DEEPSPEED}deepspeed_config: {{{line}}}"))
    assert isinstance(handed, prepare.Prepared), handed
    effective = deepspeed_config.build(handed.config, handed.world_size)
    assert not isinstance(effective, Refused), effective
    assert effective["gradient_clipping"] == expected


def test_json_auto_is_filled_as_prepare_does(tmp_path: Path) -> None:
    config = {
        "train_batch_size": "auto",
        "train_micro_batch_size_per_gpu": "auto",
        "gradient_accumulation_steps": "auto",
        "gradient_clipping": "auto",
        "bf16": {"enabled": "auto"},
        "optimizer": {"type": "AdamW", "params": {"lr": "auto", "weight_decay": "auto"}},
        "scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": "auto", "warmup_max_lr": "auto"}},
        "zero_optimization": {"stage": "auto", "reduce_bucket_size": "auto", "stage3_prefetch_bucket_size": "auto"},
    }
    path = tmp_path / "ds.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    with corpus.referring_to(path, num_processes=4) as file:
        answer = launch(file)
    assert isinstance(answer, Launched), answer
    handed = prepare.prepare(answer)
    assert isinstance(handed, prepare.Prepared), handed
    assert deepspeed_config.filled(config, 4) == {
        name: value for name, value in handed.config.items() if name not in ("steps_per_print", "fp16")
    }


def test_nothing_stays_in_the_environment(tmp_path: Path) -> None:
    before = dict(os.environ)
    plugins.settings(launched(tmp_path, FSDP + "fsdp_config: {fsdp_offload_params: true}"))
    plugins.settings(launched(tmp_path, DEEPSPEED))
    assert dict(os.environ) == before


def test_a_launch_takes_milliseconds(tmp_path: Path) -> None:
    launched(tmp_path, FSDP)
    times = []
    for _ in range(20):
        start = time.perf_counter()
        launched(tmp_path, FSDP)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.01


def test_keys_of_the_installed_release() -> None:
    assert {"fsdp_config", "parallelism_config"} <= upstream_keys.cluster_config_keys()
    assert upstream_keys.legacy_cluster_config_keys() >= {"fp16", "dynamo_backend"}
    assert {"zero_stage", "fsdp_version"} <= upstream_keys.launch_parser_dests()
    read = upstream_keys.deepspeed_json_keys()
    assert {"zero_optimization.offload_param.nvme_path", "aio.use_gds", "optimizer.params", "bfloat16.enabled"} <= read
    assert not read & upstream_keys.removed_deepspeed_keys()


@pytest.mark.skipif(not corpus.ROOT.is_dir(), reason="no corpus beside the repository")
def test_a_missing_deepspeed_file_can_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "ds.json"
    path.write_text('{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3}}', encoding="utf-8")
    for source, _ in corpus.files("accelerate-deepspeed-file"):
        with corpus.with_deepspeed_file(source, path) as copy:
            answer = launch(copy)
        assert isinstance(answer, Launched), answer
        assert answer.env["ACCELERATE_DEEPSPEED_CONFIG_FILE"] == str(path)
