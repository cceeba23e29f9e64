"""The tables against upstream, against their schemas, and against each other."""
