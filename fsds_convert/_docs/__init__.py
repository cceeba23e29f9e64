"""Writes what is generated: `docs/mapping.md`, `docs/rules/` and `schemas/editor/`, from the tables in `mappings/`."""
