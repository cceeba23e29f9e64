"""0: done; 1: losses, differences, a file that does not launch; 2: the caller's mistake; 3: a bug; 130: interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

import fsds_convert

from .case import Case, check
from .command import run
from .configs import DDP, FSDP1, FSDP2, HYBRID, ZERO3

USAGE = "Usage: fsds"
# a job in the background, as CI may be, hands on a SIGINT that is ignored
INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("fsds_convert", run_name="__main__", alter_sys=True)
"""

CASES = {
    "version": Case("--version", out=(f"fsds {fsds_convert.__version__}\n",)),
    "version behind another option": Case("--traceback --version", out=(f"fsds {fsds_convert.__version__}\n",)),
    "help": Case("--help", out=(USAGE, "convert", "effective", "compare")),
    "short help": Case("-h", out=(USAGE,)),
    "help of convert": Case("convert --help", out=("fsds convert", "--to", "--allow-lossy", "--deepspeed-json")),
    "help of effective": Case("effective -h", out=("fsds effective", "--output-format")),
    "help of compare": Case("compare -h", out=("fsds compare", "--fail-on")),
    "nothing": Case("", 2, err=(USAGE,)),
    "unknown command": Case("convrt a.yaml", 2, err=("convrt", "convert")),
    "unknown option": Case("convert a.yaml --to fsdp2 --allow-lossi", 2, err=("--allow-lossi", "--allow-lossy")),
    "option of another command": Case("effective a.yaml --to fsdp2", 2, err=("--to",)),
    "no file": Case("convert --to fsdp2", 2, err=("FILE",)),
    "no target": Case("convert a.yaml", 2, err=("--to",)),
    "one file too many": Case("effective a.yaml b.yaml", 2, err=("b.yaml",)),
    "one file too few": Case("compare a.yaml", 2, err=("B",)),
    "target without a value": Case("convert a.yaml --to", 2, err=("--to",)),
    "mistyped target": Case("convert a.yaml --to fdsp2", 2, err=("unknown target `fdsp2`", "did you mean `fsdp2`?")),
    "target in capitals": Case("convert a.yaml --to DeepSpeed", 2, err=("did you mean `deepspeed`?",)),
    "target with an underscore": Case("convert a.yaml --to deepspeed_json", 2, err=("did you mean `deepspeed-json`?",)),
    "distant target": Case("convert a.yaml --to megatron", 2, err=("known: fsdp1, fsdp2, fsdp, deepspeed",)),
    "unknown report": Case("convert a.yaml --to fsdp2 --report xml", 2, err=("--report", "'text'", "'none'")),
    "unknown bar": Case("convert a.yaml --to fsdp2 --fail-on exact", 2, err=("--fail-on", "'dropped'")),
    "unknown consumer": Case("effective a.yaml --for trl", 2, err=("--for", "'trainer'")),
    "unknown dtype": Case("effective a.yaml --model-dtype float32", 2, err=("--model-dtype", "'fp32'")),
    "unknown format": Case("compare a.yaml a.yaml --output-format yaml", 2, err=("--output-format", "'json'")),
    "unknown placement": Case("convert a.yaml --to deepspeed --deepspeed-json no", 2, err=("'never'",)),
    "no norm": Case("convert a.yaml --to deepspeed --max-grad-norm x", 2, err=("`x` is neither a number nor `none`",)),
    "negative norm": Case("convert a.yaml --to deepspeed --max-grad-norm -1", 2, err=("`-1` is neither",)),
    "norm that is none": Case("convert a.yaml --to deepspeed --max-grad-norm nan", 2, err=("`nan` is neither",)),
    "no steps": Case("convert a.yaml --to deepspeed --gradient-accumulation-steps 0", 2, err=("accumulation-steps",)),
    "half a step": Case(
        "convert a.yaml --to deepspeed --gradient-accumulation-steps 1.5", 2, err=("accumulation-steps",)
    ),
    "an empty name": Case("convert a.yaml --to fsdp2 -o ''", 2, err=("-o has an empty name", "give -o FILE")),
    "a torch before FSDP2": Case(
        "convert a.yaml --to fsdp2 --torch-version 2.5.1", 2, err=("fsdp2 needs torch 2.6.0", "--to fsdp1")
    ),
    "an accelerate before FSDP2": Case(
        "convert a.yaml --to fsdp --accelerate-version 1.5.2", 2, err=("fsdp needs accelerate 1.6.0",)
    ),
    "processes against the file": Case(
        "convert a.yaml --to fsdp2 --num-processes 3",
        2,
        err=("`num_processes: 8` stands in the file, against --num-processes 3",),
    ),
    "no processes": Case("effective a.yaml --num-processes 0", 2, err=("--num-processes",)),
    "no such port": Case("convert a.yaml --to fsdp2 --main-process-port 65536", 2, err=("--main-process-port",)),
    "no class": Case("convert a.yaml --to fsdp2 --layer-cls ,", 2, err=("`,` is no name of a class",)),
    "no name of a class": Case("convert a.yaml --to fsdp2 --layer-cls 'A, B c'", 2, err=("`B c` is no name",)),
    "names of classes": Case(
        "convert a.yaml --to fsdp2 --layer-cls 'B, A,B' --report none",
        out=("fsdp_transformer_layer_cls_to_wrap: B,A\n",),
        files={"a.yaml": ZERO3},
    ),
    "no version": Case("effective a.yaml --torch-version new", 2, err=("`new` is not a version",)),
    "both outputs": Case(
        "convert a.yaml --to fsdp2 -o b.yaml --in-place", 2, err=("-o and --in-place are both given",)
    ),
    "stdin in place": Case("convert - --to fsdp2 --in-place", 2, err=("stdin cannot be written over",), stdin=FSDP1),
    "stdin twice": Case("compare - -", 2, err=("stdin can be read only once",), stdin=FSDP1),
    "effective": Case("effective a.yaml", out=("a.yaml: accelerate-fsdp1\n", "shard_parameters")),
    "effective of a file that does not launch": Case(
        "effective a.yaml",
        1,
        out=("FSDS403", "which does not launch as it is"),
        files={"a.yaml": "distributed_type: FSDP\n"},
    ),
    "effective with a warning": Case(
        "effective a.yaml", out=("FSDS102",), files={"a.yaml": FSDP1.replace("version: 1", "x: 1")}
    ),
    "compare with itself": Case("compare a.yaml a.yaml", out=(" exact\n",)),
    "compare what is approximate": Case(
        "compare a.yaml b.yaml", out=("approximate clipping.max_norm",), files={"a.yaml": FSDP1, "b.yaml": ZERO3}
    ),
    "compare what is approximate, and must not be": Case(
        "compare a.yaml b.yaml --fail-on approximate", 1, out=("approximate",), files={"a.yaml": FSDP1, "b.yaml": ZERO3}
    ),
    "compare what differs": Case(
        "compare a.yaml b.yaml",
        1,
        out=("different sharding.strategy",),
        files={"a.yaml": ZERO3, "b.yaml": ZERO3.replace("stage: 3", "stage: 2")},
    ),
    "compare with stdin": Case("compare - a.yaml", out=(" exact\n",), stdin=FSDP1),
    "compare with flaws": Case(
        "compare a.yaml b.yaml",
        out=("exact",),
        err=("b.yaml:1:1: error[FSDS101] unknown key `x`",),
        files={"a.yaml": FSDP1, "b.yaml": f"x: 1\n{FSDP1}"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_exit_status(name: str, tmp_path: Path) -> None:
    check(CASES[name], tmp_path)


PREFETCHING = FSDP1.replace("  fsdp_version: 1\n", "  fsdp_version: 1\n  fsdp_forward_prefetch: true\n")

# source, options of convert -> exit status: what the source loses on its way, against the bar
BARS = [
    (FSDP2, "--to fsdp2", 0),
    (FSDP2, "--to fsdp2 --fail-on approximate", 0),
    (FSDP1, "--to deepspeed", 0),
    (FSDP1, "--to deepspeed --fail-on refused", 0),
    (FSDP1, "--to deepspeed --fail-on dropped", 0),
    (FSDP1, "--to deepspeed --fail-on approximate", 1),
    (FSDP1, "--to deepspeed --fail-on approximate --allow-lossy", 1),
    (PREFETCHING, "--to deepspeed", 0),
    (PREFETCHING, "--to deepspeed --fail-on dropped", 1),
    (HYBRID, "--to deepspeed", 1),
    (HYBRID, "--to deepspeed --fail-on dropped", 1),
    (HYBRID, "--to deepspeed --allow-lossy -o new.yaml", 0),
    (HYBRID, "--to deepspeed --allow-lossy --fail-on refused -o new.yaml", 0),
    (HYBRID, "--to deepspeed --allow-lossy --fail-on approximate -o new.yaml", 1),
    (HYBRID, "--to fsdp2", 0),
    (DDP, "--to fsdp2", 1),
]


@pytest.mark.parametrize("report", ["text", "json", "none"])
@pytest.mark.parametrize(("source", "options", "status"), BARS)
def test_bar(source: str, options: str, status: int, report: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(source)
    done = run(tmp_path, "convert", "a.yaml", *options.split(), "--report", report)
    assert done.status == status, done.err
    if status == 1:
        assert done.out == ""
        assert not (tmp_path / "new.yaml").exists()
        assert ("nothing written" in done.err) == (report != "json")


@pytest.mark.parametrize("given", [(), ("--traceback",)])
@pytest.mark.parametrize("command", ["convert a.yaml --to fsdp2", "effective a.yaml", "compare a.yaml a.yaml"])
def test_bug(command: str, given: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(FSDP1)
    with patch("fsds_convert.cli.options.detect", side_effect=KeyError("x")):
        done = run(tmp_path, *command.split(), *given)
    assert (done.status, done.out) == (3, "")
    assert f"fsds {fsds_convert.__version__} has a bug: KeyError: 'x'\n  run it again with --traceback" in done.err
    assert ("Traceback (most recent call last)" in done.err) == bool(given)


@pytest.mark.parametrize("error", [KeyboardInterrupt, EOFError])
def test_interrupted(error: type[BaseException], tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(FSDP1)
    with patch("fsds_convert.cli.options.detect", side_effect=error):
        done = run(tmp_path, "convert", "a.yaml", "--to", "fsdp2", "-o", "new.yaml")
    assert (done.status, done.out, done.err.strip()) == (130, "", "")
    assert not (tmp_path / "new.yaml").exists()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupted_while_it_waits_for_stdin(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "effective", "-"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(b"#" * 300_000)  # more than a pipe holds: once it is written, most of it has been read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")
