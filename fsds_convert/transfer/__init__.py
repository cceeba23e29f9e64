"""A plan on its way from one engine to another, by the rows of `mappings/transfer.yaml`."""
