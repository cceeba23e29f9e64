"""Each folder of `cases` is a file, and for each way to convert it the result and the report beside it.

A case is added without code: a folder with `in.yaml` or `in.json` (and whatever it names), and for each run a file
`NAME.args` with the arguments of `fsds convert`. `pytest tests/convert --update` writes `NAME.out` (the files that
come out) and `NAME.report` (exit status and report); read them before you commit them.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from fsds_convert.errors import ExitCode
from tests.cli.command import run

CASES = Path(__file__).parent / "cases"
RUNS = sorted(CASES.glob("*/*.args"))


@pytest.mark.parametrize("args", RUNS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_case(args: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    for path in args.parent.iterdir():
        if path.suffix not in (".args", ".out", ".report"):
            shutil.copy(path, tmp_path)
    before = {path.name for path in tmp_path.iterdir()}
    source = next(name for name in ("in.yaml", "in.json") if name in before)
    given = shlex.split(args.read_text(encoding="utf-8"))
    outcome = run(tmp_path, "convert", source, *given, *_RELEASES)
    assert outcome.status != ExitCode.BUG, outcome.err
    written = sorted(path for path in tmp_path.iterdir() if path.name not in before)
    texts = [f"--- {path.name}\n{path.read_text(encoding='utf-8')}" for path in written]
    out = "".join([outcome.out, *texts])
    report = f"exit {outcome.status}\n{outcome.err}"
    for path, text in ((args.with_suffix(".out"), out), (args.with_suffix(".report"), report)):
        if request.config.getoption("--update"):
            path.write_text(text, encoding="utf-8", newline="")
        assert path.read_text(encoding="utf-8") == text


# what is installed here must not matter
_RELEASES = (
    *("--accelerate-version", "1.15.0", "--deepspeed-version", "0.19.8"),
    *("--transformers-version", "5.24.0", "--torch-version", "2.13.0"),
)


def test_every_case_has_a_run() -> None:
    assert {path.name for path in CASES.iterdir()} == {path.parent.name for path in RUNS}
