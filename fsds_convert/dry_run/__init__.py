"""Really trains with a config, and holds what was seen against what was predicted."""
