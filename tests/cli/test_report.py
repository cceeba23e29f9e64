"""What is said: plain lines that are never wrapped off a terminal, a table on one, JSON with fields that stay."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from .command import on_terminal, run, spawn
from .configs import DDP, DEEPSPEED_JSON, FSDP1, FSDP2, HYBRID, WITH_FILE, ZERO3

FILES = {
    "fsdp1.yaml": FSDP1,
    "fsdp2.yaml": FSDP2,
    "zero3.yaml": ZERO3,
    "ddp.yaml": DDP,
    "hybrid.yaml": HYBRID,
    "named.yaml": WITH_FILE,
    "ds.json": DEEPSPEED_JSON,
    "flawed.yaml": f"x: 1\n{FSDP1.replace('FULL_SHARD', 'FULL_SHRAD')}",
    "infinite.yaml": ZERO3.replace("1.0", ".inf"),
}
TARGETS = ("fsdp1", "fsdp2", "deepspeed", "deepspeed-json")

REPORT = [
    *(
        "format_version",
        "source",
        "from",
        "to",
        "engine",
        "written",
        "worst",
        "settings",
        "script",
        "findings",
        "precision",
    )
]
SETTING = [
    *(
        "field",
        "fidelity",
        "source_key",
        "source_value",
        "target_key",
        "target_value",
        "before",
        "after",
        "code",
        "name",
    ),
    *("effect", "reason", "script", "line", "column"),
]
FINDING = ["code", "name", "severity", "message", "note", "help", "file", "line", "column"]
EFFECTIVE = ["format_version", "file", "dialect", "engine", "launches", "plan", "settings", "findings"]
EFFECTIVE_SETTING = [
    *("value", "intent", "differs", "key", "written", "is_written", "from", "line", "column", "note"),
]
COMPARISON = ["format_version", "left", "right", "fields", "findings"]
COMPARED = ["field", "verdict", "left", "right", "left_from", "right_from", "reason"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def parsed(text: str) -> Any:
    """JSON as other languages read it, too: no NaN, no Infinity."""
    return json.loads(text, parse_constant=pytest.fail)


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("name", FILES)
def test_json_report(name: str, to: str, folder: Path) -> None:
    done = run(folder, "convert", name, "--to", to, "--report", "json", "-o", "new.yaml")
    report = parsed(done.err)
    assert list(report) == REPORT
    assert [list(setting) for setting in report["settings"]] == [SETTING] * len(report["settings"])
    assert [list(found) for found in report["findings"]] == [FINDING] * len(report["findings"])
    assert (report["source"], report["to"], done.out) == (name, to, "")
    assert (done.status == 0) == bool(report["written"]) == (folder / "new.yaml").exists()
    assert {setting["fidelity"] for setting in report["settings"]} <= {
        *("exact", "automatic", "approximate", "dropped", "refused")
    }


# options -> exit status, and what the report says was written
WRITTEN = [
    ("zero3.yaml --to fsdp2", 0, ["main"]),
    ("zero3.yaml --to fsdp2 -o new.yaml", 0, ["main"]),
    ("zero3.yaml --to fsdp2 --in-place", 0, ["main"]),
    ("zero3.yaml --to fsdp2 --diff", 1, []),
    ("zero3.yaml --to fsdp2 --check", 1, []),
    ("zero3.yaml --to deepspeed --check", 0, []),
    ("zero3.yaml --to fsdp2 --fail-on approximate", 1, []),
    ("hybrid.yaml --to deepspeed", 1, []),
    ("hybrid.yaml --to deepspeed --allow-lossy -o new.yaml", 0, ["main", "deepspeed-json"]),
    ("fsdp1.yaml --to deepspeed --deepspeed-json always -o new.yaml", 0, ["main", "deepspeed-json"]),
    ("fsdp1.yaml --to deepspeed-json", 0, ["main"]),
]


@pytest.mark.parametrize(("options", "status", "written"), WRITTEN)
def test_json_report_says_what_was_written(options: str, status: int, written: list[str], folder: Path) -> None:
    done = run(folder, "convert", *options.split(), "--report", "json")
    assert (done.status, parsed(done.err)["written"]) == (status, written)


@pytest.mark.parametrize("name", FILES)
def test_json_of_effective(name: str, folder: Path) -> None:
    done = run(folder, "effective", name, "--output-format", "json")
    result = parsed(done.out)
    assert list(result) == EFFECTIVE
    settings = [*result["plan"].values(), *result["settings"].values()]
    assert [list(setting) for setting in settings] == [EFFECTIVE_SETTING] * len(settings)
    assert [list(found) for found in result["findings"]] == [FINDING] * len(result["findings"])
    assert (done.err, done.status) == ("", 0 if result["launches"] else 1)


@pytest.mark.parametrize("name", FILES)
def test_json_of_compare(name: str, folder: Path) -> None:
    done = run(folder, "compare", "fsdp1.yaml", name, "--output-format", "json")
    result = parsed(done.out)
    assert list(result) == COMPARISON
    assert [list(compared) for compared in result["fields"]] == [COMPARED] * len(result["fields"])
    assert (result["left"], result["right"], done.err) == ("fsdp1.yaml", name, "")


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("name", FILES)
def test_text_report_has_each_loss_on_a_line_of_its_own(name: str, to: str, folder: Path) -> None:
    command = ["convert", name, "--to", to]
    text = run(folder, *command).err
    report = parsed(run(folder, *command, "--report", "json").err)
    lines = text.splitlines()
    for setting in report["settings"]:
        if setting["fidelity"] in ("approximate", "dropped", "refused"):
            assert f"{setting['fidelity']} [{setting['code']}]" in text
            assert any(line.startswith("    ") and line.endswith(setting["reason"]) for line in lines)
    for line in report["script"]:
        assert f"  - {line}" in lines
    for found in report["findings"]:
        place = f"{found['file']}:{found['line']}:{found['column']}" if found["line"] else found["file"]
        assert f"{place}: {found['severity']}[{found['code']}] {found['message']}" in lines
    assert f"{name}: {report['from']} -> " in text


@pytest.mark.parametrize("name", ["fsdp1.yaml", "zero3.yaml"])
def test_no_report(name: str, folder: Path) -> None:
    done = run(folder, "convert", name, "--to", "fsdp2", "--report", "none")
    assert (done.status, done.err) == (0, "")


PLAIN = {
    "convert": ("convert", "fsdp1.yaml", "--to", "deepspeed"),
    "flawed": ("convert", "flawed.yaml", "--to", "deepspeed", "--allow-lossy"),
    "effective": ("effective", "flawed.yaml", "--all"),
    "compare": ("compare", "fsdp1.yaml", "zero3.yaml"),
    "error": ("convert", "none.yaml", "--to", "deepspeed"),
    "usage": ("convert", "fsdp1.yaml", "--too", "deepspeed"),
    "help": ("convert", "--help"),
}


@pytest.mark.parametrize("environment", [{}, {"COLUMNS": "40"}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}], ids=str)
@pytest.mark.parametrize("command", ["convert", "effective"])
def test_off_a_terminal_nothing_is_wrapped_or_coloured(command: str, environment: dict[str, str], folder: Path) -> None:
    inside = run(folder, *PLAIN[command])
    outside = spawn(folder, *PLAIN[command], environment=environment)
    assert outside == inside
    assert "\x1b" not in inside.out + inside.err
    assert max(map(len, (inside.out + inside.err).splitlines())) > 150


terminal = pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")


@terminal
def test_table_on_a_terminal(folder: Path) -> None:
    done = on_terminal(folder, *PLAIN["convert"], columns=70, environment={})
    assert done.status == 0
    assert "\x1b[" in done.err
    plain = re.sub(r"\x1b\[[\d;]*m", "", done.err)
    table = [line for line in plain.splitlines() if line.startswith(("┏", "┃", "┡", "│", "└"))]
    assert {len(line) for line in table} == {70}
    assert all(
        word in plain for word in ("fidelity", "source", "target", "what differs", "approximate", "zero_stage: 3")
    )
    assert FSDP1.splitlines()[0] in plain


@terminal
@pytest.mark.parametrize(
    "environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}], ids=str
)
@pytest.mark.parametrize("command", ["convert", "flawed", "usage", "help"])
def test_terminal_without_colours(command: str, environment: dict[str, str], folder: Path) -> None:
    done = on_terminal(folder, *PLAIN[command], environment=environment)
    assert done.err
    assert "\x1b" not in done.err


@terminal
def test_table_takes_text_as_it_is(tmp_path: Path) -> None:
    """Neither markup nor the names of emoji, in values and in the name of the file."""
    name = "[red]:100:[b].yaml"
    (tmp_path / name).write_text(FSDP1.replace("_SHARD", "_SHARD[/bold]").replace("version: 1", "a:smile:b: '[/x]'"))
    done = on_terminal(tmp_path, "convert", name, "--to", "deepspeed", columns=200, environment={"NO_COLOR": "1"})
    assert done.status in (0, 1)
    assert all(part in done.err for part in (name, "FULL_SHARD[/bold]", "a:smile:b"))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16"])
def test_converted_text_is_utf_8_whatever_the_terminal_speaks(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(f"# \u00e9 \u6f22 \U0001f600\n{FSDP1}".encode())
    environment = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C"}
    done = spawn(tmp_path, "convert", "a.yaml", "--to", "deepspeed", "--report", "none", environment=environment)
    assert done == run(tmp_path, "convert", "a.yaml", "--to", "deepspeed", "--report", "none")
    assert done.out.startswith("# \u00e9 \u6f22 \U0001f600\n")


@pytest.mark.skipif(sys.platform != "linux", reason="names of files that are no text")
def test_name_that_is_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.yaml")
    (tmp_path / name).write_text(FSDP1)
    assert r"\udcff.yaml: accelerate-fsdp1" in spawn(tmp_path, "effective", name).out
    shown = spawn(tmp_path, "convert", name, "--to", "fsdp2", "--diff")
    assert shown.raw.startswith(b"--- \xff.yaml\n+++ \xff.yaml\n")
    assert r"\udcff.yaml: accelerate-fsdp1 -> fsdp2" in shown.err
    done = spawn(tmp_path, "convert", name, "--to", "fsdp2", "--in-place", "--report", "none")
    assert (done.status, done.err) == (0, "wrote \\udcff.yaml\n")
    assert "fsdp_version: 2" in (tmp_path / name).read_text()


@pytest.mark.parametrize("command", ["effective", "compare", "convert", "error"])
def test_letters_that_the_terminal_lacks_are_escaped(command: str, tmp_path: Path) -> None:
    name = "\u6f22.yaml"
    (tmp_path / name).write_text(FSDP1)
    arguments = {
        "effective": ("effective", name),
        "compare": ("compare", name, name, "--fail-on", "approximate"),
        "convert": ("convert", name, "--to", "fsdp2"),
        "error": ("effective", f"{name}.x"),
    }
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C.UTF-8"}
    done = spawn(tmp_path, *arguments[command], environment=environment)
    assert done.status == (2 if command == "error" else 0)
    assert "Traceback" not in done.err
    if command != "compare":
        assert r"\u6f22.yaml" in done.out + done.err
