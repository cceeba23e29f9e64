"""The effective settings of one engine: what each key really does, and where its value comes from."""
