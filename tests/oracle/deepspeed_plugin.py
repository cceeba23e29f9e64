"""DeepSpeedPlugin as the state holds it, with what prepare() does to the two "auto" values a script decides."""

from __future__ import annotations

import copy
import os
from argparse import Namespace
from typing import Any

_LAUNCHER_ARGUMENTS = (
    "deepspeed_multinode_launcher",
    "deepspeed_hostfile",
    "deepspeed_exclusion_filter",
    "deepspeed_inclusion_filter",
)


def settings(started: Any, args: Namespace) -> dict[str, Any]:
    """`deepspeed_config` after set_mixed_precision, for a script that asks for 1 accumulation step and no clipping."""
    plugin = started.state.deepspeed_plugin
    steps = {"gradient_accumulation_steps": started.gradient_accumulation_steps}
    plugin.fill_match("gradient_accumulation_steps", must_match=False, **steps)  # accelerate/accelerator.py:2208
    plugin.fill_match("gradient_clipping", must_match=False, gradient_clipping=1.0)  # accelerate/accelerator.py:2224
    classes = os.environ.get("ACCELERATE_DEEPSPEED_MOE_LAYER_CLS_NAMES")  # accelerate/utils/dataclasses.py:1536
    return {
        "deepspeed_config": copy.deepcopy(plugin.deepspeed_config),
        "zero_stage": plugin.zero_stage,
        "zero3_init_flag": plugin.zero3_init_flag,
        "zero3_save_16bit_model": plugin.zero3_save_16bit_model,
        "moe_layer_cls_names": None if classes is None else classes.split(","),
        **{name: getattr(args, name) for name in _LAUNCHER_ARGUMENTS},
    }
