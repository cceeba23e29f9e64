"""`python -m fsds_convert._docs [--check]`: writes the generated page, or says whether it is current."""

from __future__ import annotations

import sys
from pathlib import Path

from fsds_convert._docs.page import page
from fsds_convert.errors import ExitCode

MAPPING = Path(__file__).resolve().parents[2] / "docs" / "mapping.md"


def main(arguments: list[str]) -> int:
    """Exit 1 when `--check` finds another text than the tables give, 2 outside a checkout."""
    if arguments not in ([], ["--check"]) or not MAPPING.parent.is_dir():
        print("usage, in a checkout: python -m fsds_convert._docs [--check]", file=sys.stderr)
        return ExitCode.USAGE
    text = page()
    if not arguments:
        MAPPING.write_text(text, encoding="utf-8", newline="\n")
    elif not MAPPING.exists() or MAPPING.read_bytes() != text.encode():
        print("docs/mapping.md is not what the tables give: run `make docs`", file=sys.stderr)
        return ExitCode.FINDINGS
    return ExitCode.OK


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
