"""Small configs that the tests of the command line start from."""

from __future__ import annotations

FSDP1 = """\
# one node
distributed_type: FSDP
num_machines: 1
num_processes: 8  # all of them
mixed_precision: bf16
fsdp_config:
  fsdp_version: 1
  fsdp_sharding_strategy: FULL_SHARD  # everything
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_state_dict_type: SHARDED_STATE_DICT
main_training_function: main
"""
FSDP2 = FSDP1.replace("version: 1", "version: 2").replace(
    "sharding_strategy: FULL_SHARD", "reshard_after_forward: true"
)
ZERO3 = """\
distributed_type: DEEPSPEED
num_machines: 1
num_processes: 8
mixed_precision: bf16
deepspeed_config:
  gradient_clipping: 1.0
  zero3_save_16bit_model: true
  zero_stage: 3
"""
DDP = "distributed_type: MULTI_GPU\nnum_processes: 8\n"
HYBRID = FSDP1.replace("FULL_SHARD", "HYBRID_SHARD").replace("num_machines: 1", "num_machines: 2")
WITH_FILE = """\
distributed_type: DEEPSPEED
num_processes: 8
deepspeed_config:
  deepspeed_config_file: ds.json
"""
DEEPSPEED_JSON = (
    '{"bf16": {"enabled": true}, "zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}\n'
)
