"""The command line: parsing and exit status only."""

from __future__ import annotations

from fsds_convert.cli.run import run


def main() -> None:
    """The console script `fsds`."""
    raise SystemExit(run())
