"""The worker of a dry run with DeepSpeed's fused Adam for torch's AdamW: the kernel that `type: AdamW` means there."""

from __future__ import annotations

import sys

import torch

from fsds_convert.dry_run import worker


def main(argument: str) -> None:
    """Trains as the worker does; FusedAdam takes the same arguments and is AdamW by default."""
    from deepspeed.ops.adam import FusedAdam

    torch.optim.AdamW = FusedAdam
    worker.main(argument)


if __name__ == "__main__":
    main(sys.argv[1])
