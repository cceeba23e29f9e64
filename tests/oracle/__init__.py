"""Upstream itself as the judge: what accelerate and DeepSpeed make of a file, asked without starting a process."""
