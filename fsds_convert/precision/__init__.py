"""Which dtype every stage of a training step has, and the memory that follows from it."""
