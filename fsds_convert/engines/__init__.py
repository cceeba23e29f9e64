"""FSDP1, FSDP2, DeepSpeed and plain DDP: effective settings <-> training plan."""
