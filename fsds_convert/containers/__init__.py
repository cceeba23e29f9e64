"""The files that hold settings: Accelerate YAML or JSON, and DeepSpeed JSON."""
