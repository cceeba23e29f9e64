"""Combinations of DeepSpeed settings that upstream refuses, each as it words them."""

from __future__ import annotations

from collections.abc import Iterator

from fsds_convert.diagnostics import Diagnostic, Place, finding
from fsds_convert.engines.deepspeed import batch_sizes
from fsds_convert.plan.training_plan import TrainingPlan


def batch_arithmetic(plan: TrainingPlan, name: str) -> Iterator[Diagnostic]:
    """train_batch_size against micro batch, accumulation and processes (deepspeed/runtime/config.py:602)."""
    sizes = batch_sizes(plan)
    if sizes is None or sizes.consistent:
        return
    setting = plan.batch.train_batch_size
    yield finding(
        "combination-refused",
        f"`train_batch_size: {sizes.train}` is not {sizes.micro} * {sizes.steps} steps * {sizes.ranks} processes",
        setting.origin.place or Place(name),
        note="AssertionError: Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * "
        "gradient_acc_step * world_size",
        help='write "train_batch_size": "auto", or remove it',
    )
