"""The dtype of every collective, seen as it reaches the dispatcher."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from fsds_convert.dry_run.model import dtype_name

_NAMESPACES = ("c10d.", "_c10d_functional.")
_REDUCTIONS = ("reduce", "allreduce")
# norms and overflow flags are reduced too, as tensors of a few elements
_SMALL = 16


class CollectiveSpy(TorchDispatchMode):  # type: ignore[misc]
    """Counts collectives by phase, name and dtype while it is entered; `phase` is set by the training loop."""

    def __init__(self) -> None:
        super().__init__()
        self.phase = "forward"
        self.seen: dict[tuple[str, str, str], list[int]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(func)
        if name.startswith(_NAMESPACES):
            tensors = [tensor for tensor in _tensors(args) if tensor.is_floating_point()]
            if tensors:
                key = (self.phase, name.split(".")[1], dtype_name(tensors[-1].dtype))
                entry = self.seen.setdefault(key, [0, 0])
                entry[0] += 1
                entry[1] = max(entry[1], *(tensor.numel() for tensor in tensors))
        return func(*args, **(kwargs or {}))

    def reductions(self) -> list[str]:
        """The dtypes of what was reduced from backward to step."""
        return sorted(
            {
                dtype
                for (phase, name, dtype), (_, elements) in self.seen.items()
                if phase in ("backward", "step") and elements > _SMALL and any(part in name for part in _REDUCTIONS)
            }
        )

    def collectives(self) -> list[dict[str, Any]]:
        """Everything that was seen, for the report as JSON."""
        return [
            {"phase": phase, "name": name, "dtype": dtype, "calls": calls, "largest": largest}
            for (phase, name, dtype), (calls, largest) in self.seen.items()
            if phase != "observer"
        ]


def _tensors(value: Any) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
