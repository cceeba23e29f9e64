"""Degrees beyond data parallelism: what goes with a degree says nothing while it is 1."""

from __future__ import annotations

from typing import Any

from fsds_convert.engines.fields import Engine, fixed
from fsds_convert.settings.setting import Setting

_GOES_WITH = {
    "parallelism.context": ("context_backend", "context_comm_strategy"),
    "parallelism.sequence": (
        *("sequence_backend", "sequence_length", "sequence_length_is_variable", "sequence_attention"),
    ),
}


def idle(engine: Engine, fields: dict[str, Setting[Any]]) -> dict[str, Setting[Any]]:
    """The fields of context and sequence parallelism as they are without it."""
    return {
        f"parallelism.{name}": fixed(engine)[f"parallelism.{name}"]
        for degree, names in _GOES_WITH.items()
        if fields[degree].value == 1
        for name in names
    }


def without_parallelism(values: dict[str, Any]) -> dict[str, Any]:
    """The keys without parallelism_config, which FSDP1 refuses and which says nothing when every size is 1."""
    return {key: value for key, value in values.items() if not key.startswith("parallelism_config.")}
