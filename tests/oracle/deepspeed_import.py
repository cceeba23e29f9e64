"""DeepSpeed, imported once and for the CPU: it takes seconds."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType

from .environment import job_environment, notices


@lru_cache(maxsize=1)
def deepspeed() -> ModuleType:
    """The package with DS_ACCELERATOR=cpu in force while it looks for its device."""
    with job_environment({"DS_ACCELERATOR": "cpu"}), notices():
        import deepspeed as package
        import deepspeed.runtime.config
        from deepspeed.accelerator import get_accelerator

        get_accelerator()
    module: ModuleType = package
    return module
