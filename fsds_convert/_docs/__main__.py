"""`python -m fsds_convert._docs [--check]`: writes what is generated, or says whether it is current."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fsds_convert._docs import rules
from fsds_convert._docs.page import page
from fsds_convert.errors import ExitCode
from fsds_convert.schema.build import NAMES, build

ROOT = Path(__file__).resolve().parents[2]
# nothing but generated files lies in these
_FOLDERS = ("docs/rules", "schemas/editor")


def generated() -> dict[str, str]:
    """Every generated file below the root of a checkout, and its text."""
    schemas = {
        f"schemas/editor/{name}.schema.json": json.dumps(build(name), indent=2, allow_nan=False) + "\n"
        for name in NAMES
    }
    return {"docs/mapping.md": page(), **{f"docs/rules/{n}": text for n, text in rules.pages().items()}, **schemas}


def main(arguments: list[str]) -> int:
    """Exit 1 when `--check` finds another text than the tables give, 2 outside a checkout."""
    if arguments not in ([], ["--check"]) or not (ROOT / "docs").is_dir():
        print("usage, in a checkout: python -m fsds_convert._docs [--check]", file=sys.stderr)
        return ExitCode.USAGE
    wanted = generated()
    there = {str(path.relative_to(ROOT)) for folder in _FOLDERS for path in (ROOT / folder).glob("*")}
    if not arguments:
        _write(wanted, there)
        return ExitCode.OK
    wrong = [name for name, text in wanted.items() if not _holds(ROOT / name, text)]
    for name in sorted({*wrong, *(there - set(wanted))}):
        print(f"{name} is not what the tables give: run `make docs`", file=sys.stderr)
    return ExitCode.FINDINGS if wrong or there - set(wanted) else ExitCode.OK


def _write(wanted: dict[str, str], there: set[str]) -> None:
    for name in there - set(wanted):
        (ROOT / name).unlink()
    for name, text in wanted.items():
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_text(text, encoding="utf-8", newline="\n")


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
