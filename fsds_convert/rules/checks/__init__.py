"""The functions that rows of the tables of rules name, by their names."""

from __future__ import annotations

from fsds_convert.rules.checks import (
    batch_sizes,
    deepspeed_against_arguments,
    deepspeed_dtypes,
    deepspeed_inline,
    deepspeed_json,
    fsdp,
    json_and_script,
    launch,
    model,
    next_to_file,
    nodes,
    parallelism,
    script_deepspeed,
    strategy,
    trainer,
    trainer_keys,
)
from fsds_convert.rules.match import Check

CHECKS: dict[str, Check] = {
    **batch_sizes.CHECKS,
    **deepspeed_against_arguments.CHECKS,
    **deepspeed_dtypes.CHECKS,
    **deepspeed_inline.CHECKS,
    **deepspeed_json.CHECKS,
    **fsdp.CHECKS,
    **json_and_script.CHECKS,
    **launch.CHECKS,
    **model.CHECKS,
    **next_to_file.CHECKS,
    **nodes.CHECKS,
    **parallelism.CHECKS,
    **script_deepspeed.CHECKS,
    **strategy.CHECKS,
    **trainer.CHECKS,
    **trainer_keys.CHECKS,
}
