"""Writes `docs/mapping.md` from the tables under `mappings/`."""
