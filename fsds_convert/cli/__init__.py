"""The command line: parsing and exit status only."""

from __future__ import annotations

import sys


def main() -> None:
    """The console script `fsds`."""
    if sys.argv[1:] == ["--version"]:  # answered before typer is imported, which takes most of the time
        from fsds_convert import __version__

        print(f"fsds {__version__}")
        raise SystemExit(0)
    from fsds_convert.cli.run import run

    raise SystemExit(run())
