"""`[tool.fsds]` of pyproject.toml, or fsds.toml: what a project says once for every run."""
