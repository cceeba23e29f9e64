"""What a file is converted to."""

from __future__ import annotations

from dataclasses import dataclass

from fsds_convert.containers.reading import Container
from fsds_convert.engines.fields import Engine
from fsds_convert.errors import UnknownName
from fsds_convert.syntax.closest import closest


@dataclass(frozen=True)
class Target:
    """An engine, and the container that its settings are written into."""

    name: str
    engine: Engine
    container: Container


TARGETS: dict[str, Target] = {
    "fsdp1": Target("fsdp1", "fsdp1", "accelerate"),
    "fsdp2": Target("fsdp2", "fsdp2", "accelerate"),
    "fsdp": Target("fsdp", "fsdp2", "accelerate"),
    "deepspeed": Target("deepspeed", "deepspeed", "accelerate"),
    "deepspeed-json": Target("deepspeed-json", "deepspeed", "deepspeed-json"),
    "accelerate-fsdp1": Target("accelerate-fsdp1", "fsdp1", "accelerate"),
    "accelerate-fsdp2": Target("accelerate-fsdp2", "fsdp2", "accelerate"),
    "accelerate-deepspeed": Target("accelerate-deepspeed", "deepspeed", "accelerate"),
}


def target_of(name: str) -> Target:
    """The target of a name; raises UnknownName with the nearest one."""
    if name not in TARGETS:
        raise UnknownName("target", name, closest(name, TARGETS), TARGETS)
    return TARGETS[name]
