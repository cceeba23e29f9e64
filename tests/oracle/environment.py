"""The shell a job is started from: no variable of ours reaches upstream, none of upstream's stays."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_PREFIXES = (
    "ACCELERATE_", "FSDP_", "PARALLELISM_CONFIG_", "MEGATRON_LM_", "DEEPSPEED_", "PET_", "TORCHELASTIC_",
    "OMPI_", "PMI_", "MV2_", "MPI_", "NCCL_", "KMP_",
)  # fmt: skip
_NAMES = frozenset((
    "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "NODE_RANK", "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT",
    "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", "LOG_LEVEL", "FORK_LAUNCHED", "DS_ACCELERATOR",
))  # fmt: skip


@contextmanager
def job_environment(added: Mapping[str, str] | None = None) -> Iterator[dict[str, str]]:
    """os.environ as a fresh shell has it, plus `added`; yields what it was at entry and restores the caller's."""
    before = dict(os.environ)
    base = {name: value for name, value in before.items() if not (name in _NAMES or name.startswith(_PREFIXES))}
    base.update(added or {})
    _replace(base)
    try:
        yield base
    finally:
        _replace(before)


def _replace(wanted: Mapping[str, str]) -> None:
    for name in [name for name in os.environ if name not in wanted]:
        del os.environ[name]
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextmanager
def notices() -> Iterator[list[str]]:
    """Collects what upstream warns about (warnings, loggers of accelerate and DeepSpeed) instead of printing it."""
    collector = _Collector()
    loggers = [logging.getLogger(name) for name in ("accelerate", "DeepSpeed")]
    settings = [(logger, logger.propagate, list(logger.handlers)) for logger in loggers]
    for logger in loggers:
        logger.propagate, logger.handlers = False, [collector]
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield collector.messages
            collector.messages.extend(str(warning.message) for warning in caught)
    finally:
        for logger, propagate, handlers in settings:
            logger.propagate, logger.handlers = propagate, handlers
