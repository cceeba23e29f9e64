"""save_state, load_state and going on; what the consolidated weights are, and whether merging gives them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import torch.distributed as dist

from fsds_convert.dry_run.job import Job

_STEPS = 3


def round_trip(accelerator: Any, model: Any, optimizer: Any, loop: Any, job: Job) -> dict[str, Any]:
    """Saves, trains on, loads, trains on with the same batches: the losses must be the same."""
    folder = Path(job.folder) / "state"
    accelerator.save_state(str(folder), safe_serialization=True)
    whole = _whole(accelerator, model)
    merged = _merged(accelerator, folder, whole)
    seen: list[Any] = []
    start = len(loop.losses)
    loop.run(_STEPS, seen=seen)
    first = loop.losses[start:]
    accelerator.load_state(str(folder))
    loop.run(_STEPS, batches=seen)
    again = loop.losses[start + _STEPS :]
    dist.barrier()
    if accelerator.is_main_process:
        shutil.rmtree(folder, ignore_errors=True)
    difference = max(abs(one - other) for one, other in zip(first, again, strict=True))
    return {"replay": difference, "merge": merged, "losses": first}


def _whole(accelerator: Any, model: Any) -> dict[str, Any] | None:
    """The consolidated weights on rank 0, or None where the engine refuses."""
    try:
        state = accelerator.get_state_dict(model)
    except ValueError:
        return None
    return {name: tensor.detach().clone() for name, tensor in state.items()} if state else None


def _merged(accelerator: Any, folder: Path, whole: dict[str, Any] | None) -> dict[str, Any] | None:
    """On rank 0 `accelerate merge-weights` or zero_to_fp32, against the consolidated weights."""
    found: dict[str, Any] | None = None
    dist.barrier()
    if accelerator.is_main_process:
        try:
            found = _merge(accelerator, folder, whole)
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}"}
    dist.barrier()
    return found


def _merge(accelerator: Any, folder: Path, whole: dict[str, Any] | None) -> dict[str, Any] | None:
    if str(accelerator.distributed_type).endswith("DEEPSPEED"):
        if accelerator.deepspeed_config["zero_optimization"]["stage"] == 0:
            return None  # nothing is in parts
        from deepspeed.utils.zero_to_fp32 import get_fp32_state_dict_from_zero_checkpoint

        merged = get_fp32_state_dict_from_zero_checkpoint(str(folder), tag="pytorch_model")
    else:
        parts = folder / "pytorch_model_fsdp_0"
        if not parts.is_dir():
            return None
        merged = _merge_fsdp(parts)
    return _difference(merged, whole)


def _merge_fsdp(parts: Path) -> dict[str, Any]:
    """As accelerate.utils.merge_fsdp_weights reads it, which also writes the result."""
    from accelerate.utils.fsdp_utils import _distributed_checkpoint_to_merged_weights
    from safetensors.torch import load_file

    target = parts.parent / "merged"
    target.mkdir()
    written = _distributed_checkpoint_to_merged_weights(str(parts), str(target), True)
    loaded: dict[str, Any] = load_file(str(written))
    return loaded


def _difference(merged: dict[str, Any], whole: dict[str, Any] | None) -> dict[str, Any]:
    dtypes = sorted({str(tensor.dtype).removeprefix("torch.") for tensor in merged.values()})
    elements = sum(tensor.numel() for tensor in merged.values())
    worst = None
    if whole is not None:
        worst = 0.0
        for name, tensor in whole.items():
            other = merged.get(name)
            if other is not None:
                worst = max(worst, float((other.to(tensor.dtype).float() - tensor.float()).abs().max()))
    return {"dtypes": dtypes, "elements": elements, "difference": worst}
