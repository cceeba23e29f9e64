"""Translate Accelerate and DeepSpeed training configs into each other, from what they really run."""

__version__ = "0.1.0"
