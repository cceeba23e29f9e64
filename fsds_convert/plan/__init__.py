"""The engine-neutral training plan."""
