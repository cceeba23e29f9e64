"""The command line: parsing and exit status only."""

from __future__ import annotations


def main() -> None:
    """The console script `fsds`."""
    from fsds_convert.cli.run import run

    raise SystemExit(run())
