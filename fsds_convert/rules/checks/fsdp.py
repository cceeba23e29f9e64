"""What rows about FSDP cannot say: releases, and the dtype that the script loads the model in."""

from __future__ import annotations

from collections.abc import Iterator

from fsds_convert.engines.fields import missing_release
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match


def fsdp2_release(facts: Facts) -> Iterator[Match]:
    """The release that FSDP2 needs and that is not in force."""
    missing = missing_release("fsdp2", facts.context.versions)
    if missing is not None:
        yield Match({"missing": missing})


def loaded_below_fp32(facts: Facts) -> Iterator[Match]:
    """A model that is loaded in 16 bits, or may be."""
    if facts.context.model_dtype != "fp32":
        yield Match({"release": facts.context.versions.accelerate})


def model_dtype_unknown(facts: Facts) -> Iterator[Match]:
    """Nobody said what dtype the script loads the model in."""
    if facts.context.model_dtype is None:
        yield Match()


CHECKS: dict[str, Check] = {
    "fsdp2_release": fsdp2_release,
    "loaded_below_fp32": loaded_below_fp32,
    "model_dtype_unknown": model_dtype_unknown,
}
