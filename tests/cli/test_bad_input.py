"""Files that cannot be read end in one message and exit status 2; files with flaws are read, and the flaws reported."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import yaml

from .command import run
from .configs import DEEPSPEED_JSON, FSDP1, FSDP2, WITH_FILE, ZERO3

COMMANDS = {
    "convert": ("convert", "FILE", "--to", "fsdp2", "-o", "new.yaml"),
    "in place": ("convert", "FILE", "--to", "deepspeed", "--in-place"),
    "effective": ("effective", "FILE"),
    "compare": ("compare", "good.yaml", "FILE"),
}


def laughs(count: int) -> str:
    """Anchors that hold nine aliases of the one before: 9 ** count values."""
    levels = (f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, count))
    return "a0: &a0 [x]\n" + "".join(levels) + FSDP1


@dataclass(frozen=True)
class Unreadable:
    """A file, and what the message says behind its name. A `content` of None is no file at all."""

    content: bytes | str | None
    message: str
    hint: str
    name: str = "a.yaml"


UNREADABLE = {
    "missing": Unreadable(None, ": no such file", "check the name"),
    "mistyped": Unreadable(None, ": no such file", "did you mean `good.yaml`?", "goood.yaml"),
    "in a missing folder": Unreadable(None, ": no such file", "there is no folder `conf`", "conf/a.yaml"),
    "without a name": Unreadable(None, ": no such file", "check the name", ""),
    "name that is too long": Unreadable(None, ": cannot be read: File name too long", "check the name", "a" * 5000),
    "folder": Unreadable(None, ": a folder, not a file", "name a file in it", "folder"),
    "file as a folder": Unreadable(None, ": cannot be read: Not a directory", "check the name", "good.yaml/a.yaml"),
    "empty": Unreadable("", ":1:1: no value in the file; Accelerate raises AttributeError", "`key: value`"),
    "blank": Unreadable(" \n\n", ":1:1: no value in the file", "`key: value`"),
    "comments": Unreadable("# a\n# b\n", ":1:1: no value in the file", "`key: value`"),
    "empty JSON": Unreadable("", ":1:1: no value in the file; Accelerate and", '{"key": value}', "a.json"),
    "byte-order mark alone": Unreadable(codecs.BOM_UTF8, ":1:1: no value in the file", "`key: value`"),
    "NUL": Unreadable(FSDP1.encode() + b"\0", ": a binary file", "give a YAML or JSON config"),
    "image": Unreadable(b"\x89PNG\r\n\x1a\n\0", ": not UTF-8 text: byte 0x89 on line 1", "save it as UTF-8"),
    "Latin-1": Unreadable(FSDP1.encode() + b"# \xe9\n", ": not UTF-8 text: byte 0xe9 on line 12", "save it as UTF-8"),
    "half of UTF-16": Unreadable(FSDP1.encode("utf-16")[:-1], ": not UTF-16-LE text", "save it as UTF-8"),
    "UTF-16 without a mark": Unreadable(FSDP1.encode("utf-16-le"), ": a binary file", "give a YAML or JSON config"),
    "control character": Unreadable(FSDP1 + "a: \x07\n", ":12:4: control character U+0007", "remove it"),
    "larger than 10 MB": Unreadable(b"# " + b"x" * 10_000_000, ": larger than 10 MB", "give a training config"),
    "tab": Unreadable("distributed_type: FSDP\nfsdp_config:\n\tfsdp_version: 2\n", ":3:1: a tab", "by spaces"),
    "indentation": Unreadable("fsdp_config:\n  fsdp_version: 2\n fsdp_offload_params: true\n", ":3:2:", "indentation"),
    "bracket": Unreadable("fsdp_config: {fsdp_version: 2\n", ":1:14: `{` is not closed; yaml.safe_load", "close it"),
    "backslashes in quotes": Unreadable('gpu_ids: "C:\\configs"\n', ":1:14: the backslash begins", "double it"),
    "list": Unreadable("- distributed_type: FSDP\n", ":1:1: a list at the top", "write one `key: value`"),
    "scalar": Unreadable("FSDP\n", ":1:1: a single value at the top", "write one `key: value`"),
    "no space behind the colon": Unreadable("num_processes:8\n", ":1:1: a single value at the top", "a space after"),
    "null": Unreadable("~\n", ":1:1: a single value at the top", "write one `key: value`"),
    "list in JSON": Unreadable("[1]", ":1:1: a list at the top", "write one `key: value`", "a.json"),
    "two documents": Unreadable(f"{FSDP1}---\n{FSDP1}", ":12:1: a second document", "keep one document"),
    "tag": Unreadable("num_processes: !!python/object/apply:os.getcwd []\n", ":1:16: a tag", "remove it"),
    "undefined alias": Unreadable("num_processes: *n\n", ":1:16: no anchor", "quote the value"),
    "alias bomb": Unreadable(laughs(12), ":6:5: more than 100,000 values once the aliases", "write the values out"),
    "value in itself": Unreadable("fsdp_config: &a {b: *a}\n", ":1:14: an anchor stands for a value", "remove the"),
    "10 MB of nesting": Unreadable("[" * 9_999_999, ":1:1: more than 100,000 values", "check that the file"),
    "nesting": Unreadable("[" * 50_000, ":1:1001: values nested more than 200 levels deep", "nest fewer values"),
    "nesting in JSON": Unreadable(
        '{"a":' * 9_000, ":1:1001: values nested more than 200", "nest fewer values", "a.json"
    ),
    "template": Unreadable("num_processes: {{ n }}\n", ":1:16: `{{ n }}` is a template", "write the value itself"),
    "template block": Unreadable("{% if x %}\na: 1\n{% endif %}\n", ":1:1: `{% if x %}` is a template", "write the"),
    "merge conflict": Unreadable(
        f"<<<<<<< a\n{FSDP1}=======\n{FSDP2}>>>>>>> b\n", ":1:1: a merge conflict", "keep one"
    ),
    "Python in JSON": Unreadable('{"bf16": {"enabled": True}}', ":1:22: `True` is Python", "write `true`", "a.json"),
    "comma in JSON": Unreadable('{"bf16": 1 "fp16": 2}', ":1:10: neither `,` nor `}`", "write a comma", "a.json"),
    "other YAML": Unreadable("services: {}\n", ": neither an Accelerate config nor a Deep", "has `distributed_type`"),
    "other JSON": Unreadable(
        '{"name": "x"}', ": neither an Accelerate config nor a Deep", "`zero_optimization`", "a.json"
    ),
    "axolotl": Unreadable("base_model: x\nfsdp: []\n", ": neither an Accelerate config nor", "axolotl"),
    "Trainer's fsdp_config": Unreadable(
        '{"fsdp_version": 2}', ": neither an Accelerate", "Trainer fsdp_config", "a.json"
    ),
    "SageMaker": Unreadable(
        f"compute_environment: AMAZON_SAGEMAKER\n{FSDP1}",
        ":1:22: `compute_environment: AMAZON_SAGEMAKER`",
        "LOCAL_MACHINE",
    ),
    "XLA": Unreadable("distributed_type: XLA\n", ":1:19: `distributed_type: XLA` is neither", "fsds reads FSDP"),
    "Megatron-LM": Unreadable(
        "distributed_type: MEGATRON_LM\n", ":1:19: `distributed_type: MEGATRON_LM`", "fsds reads"
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("case", UNREADABLE)
def test_unreadable(case: str, command: str, tmp_path: Path) -> None:
    bad = UNREADABLE[case]
    (tmp_path / "good.yaml").write_text(FSDP1)
    (tmp_path / "folder").mkdir()
    if bad.content is not None:
        (tmp_path / bad.name).write_bytes(bad.content if isinstance(bad.content, bytes) else bad.content.encode())
    before = contents(tmp_path)
    done = run(tmp_path, *(bad.name if part == "FILE" else part for part in COMMANDS[command]))
    assert (done.status, done.out) == (2, "")
    message, hint = done.err.splitlines()
    assert message.startswith(f"error: {bad.name}{bad.message}")
    assert hint.startswith("  hint: ")
    assert bad.hint in hint
    assert contents(tmp_path) == before


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("case", [name for name, bad in UNREADABLE.items() if isinstance(bad.content, str)])
def test_unreadable_on_stdin(case: str, tmp_path: Path) -> None:
    bad = UNREADABLE[case]
    content = bad.content
    assert isinstance(content, str)
    done = run(tmp_path, "effective", "-", "--stdin-filename", bad.name, stdin=content.encode())
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"error: {bad.name}{bad.message}")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_permission(command: str, tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(FSDP1)
    (tmp_path / "a.yaml").write_text(FSDP1)
    usual = open

    def refusing(file: Any, *arguments: Any, **options: Any) -> Any:
        if file == "a.yaml":
            raise PermissionError(13, "Permission denied")
        return usual(file, *arguments, **options)

    with patch("builtins.open", refusing):  # a mode of 0 does not stop the superuser
        done = run(tmp_path, *("a.yaml" if part == "FILE" else part for part in COMMANDS[command]))
    assert (done.status, done.out) == (2, "")
    assert done.err.splitlines()[0] == "error: a.yaml: no permission to read it"


# what a `deepspeed_config_file` that cannot be read is called; None: there is no such file
NAMED: dict[str, tuple[bytes | None, str]] = {
    "missing": (None, "the DeepSpeed config `ds.json` is not there"),
    "empty": (b"", "ds.json:1:1: no value in the file"),
    "broken": (b'{"zero_optimization": {', "ds.json:1:23: `{` is not closed"),
    "YAML": (b"zero_optimization:\n  stage: 3\n", "ds.json:1:1: `zero_optimization` is no value of JSON"),
    "list": (b"[]", "ds.json:1:1: a list at the top"),
    "binary": (b"\0", "ds.json: a binary file"),
    "large": (b" " * 10_000_001, "ds.json: larger than 10 MB"),
}


@pytest.mark.parametrize("case", NAMED)
def test_named_file(case: str, tmp_path: Path) -> None:
    content, message = NAMED[case]
    (tmp_path / "a.yaml").write_text(WITH_FILE)
    (tmp_path / "good.yaml").write_text(FSDP1)
    if content is not None:
        (tmp_path / "ds.json").write_bytes(content)
    effective = run(tmp_path, "effective", "a.yaml")
    assert effective.status == 1
    assert f"a.yaml:4:26: error[FSDS411] {message}" in effective.out
    for command in ("convert", "in place", "compare"):
        done = run(tmp_path, *("a.yaml" if part == "FILE" else part for part in COMMANDS[command]))
        assert (done.status, done.out) == (2, "")
        assert done.err.startswith(f"error: a.yaml:4:26: {message}")
    assert not (tmp_path / "new.yaml").exists()


@pytest.mark.parametrize("path", ["a.yaml", ".", "folder", "C:\\configs\\ds.json", "a" * 5000, "ds\x00.json", "-"])
def test_path_of_named_file(path: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.yaml").write_text(WITH_FILE.replace("ds.json", json.dumps(path)))
    done = run(tmp_path, "convert", "a.yaml", "--to", "fsdp2")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("error: a.yaml:4:26: ")


@dataclass(frozen=True)
class Flawed:
    """A file that is read: the beginnings of its findings, and what a conversion to `to` holds and does not hold.

    `guessed`: what was meant is not certain, so that only --allow-lossy converts it. `remains` are the codes of what is
    found in the converted file too.
    """

    content: bytes | str
    findings: tuple[str, ...]
    holds: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    to: str = "deepspeed"
    name: str = "a.yaml"
    launches: bool = False
    guessed: bool = False
    remains: tuple[str, ...] = ()
    others: dict[str, str] = field(default_factory=dict)


FLAWED = {
    "byte-order mark": Flawed(codecs.BOM_UTF8 + FSDP1.encode(), (), ("\ufeff# one node\n",), launches=True),
    "byte-order mark in JSON": Flawed(
        codecs.BOM_UTF8 + DEEPSPEED_JSON.encode(),
        ("1:1: error[FSDS006] a byte-order mark",),
        (),
        ("\ufeff",),
        name="a.json",
    ),
    "UTF-16": Flawed(FSDP1.encode("utf-16"), ("1:1: error[FSDS006] UTF-16-LE text",), ("zero_stage: 3",), ("\ufeff",)),
    "CRLF": Flawed(
        FSDP1.replace("\n", "\r\n"), (), ("# one node\r\n", "zero_stage: 3  # everything\r\n"), launches=True
    ),
    "CR": Flawed(
        FSDP1.replace("\n", "\r"), (), ("# one node\r", "zero_stage: 3  # everything\r"), ("\n",), launches=True
    ),
    "no line break at the end": Flawed(FSDP1[:-1], (), ("main_training_function: main",), launches=True),
    "tab that only some parsers read": Flawed(
        FSDP1.replace("mixed_precision: ", "mixed_precision:\t"),
        ("5:17: error[FSDS005] a tab",),
        ("mixed_precision: bf16",),
        ("\t",),
    ),
    "key twice": Flawed(
        f"num_processes: 4\n{FSDP1}",
        ("1:1: warning[FSDS002] key `num_processes` is written again on line 5",),
        ("num_processes: 8",),
        launches=True,
        remains=("FSDS002",),
    ),
    "key twice in a section": Flawed(
        FSDP1.replace("  fsdp_state", "  fsdp_version: 1\n  fsdp_state"),
        ("7:3: warning[FSDS002] key `fsdp_version`",),
        launches=True,
    ),
    "key twice in JSON": Flawed(
        '{"bf16": {"enabled": false}, ' + DEEPSPEED_JSON[1:],
        ("1:2: warning[FSDS002] key `bf16`",),
        ("mixed_precision: bf16",),
        to="fsdp2",
        name="a.json",
        launches=True,
    ),
    "merge key in a section": Flawed(
        "base: &base\n  fsdp_version: 2\n  fsdp_offload_params: true\n" + FSDP2.replace("fsdp_version: 2", "<<: *base"),
        ("1:1: error[FSDS101] unknown key `base`",),
        ("zero_stage: 3", "offload_param_device: cpu"),
        ("base", "<<"),
    ),
    "merge key at the top": Flawed(
        f"base: &base {{num_processes: 4, debug: true}}\n<<: *base\n{FSDP1}",
        ("1:1: error",),
        ("num_processes: 8", "debug: true"),
    ),
    "alias as a value": Flawed(
        FSDP1.replace("num_machines: 1", "num_machines: &one 1\nmachine_rank: *one"),
        (),
        ("zero_stage: 3",),
        launches=True,
    ),
    "alias as a section": Flawed(
        f"x: &x {{zero_stage: 3}}\n{ZERO3.split('deepspeed_config')[0]}deepspeed_config: *x\n",
        ("1:1: error[FSDS101] unknown key `x`",),
        ("fsdp_reshard_after_forward: true",),
        ("zero_stage", "x:"),
        to="fsdp2",
    ),
    "template": Flawed(
        FSDP1.replace(": 8", ": ${N}"),
        ("4:16: error[FSDS004] `${N}` is a template that is not filled in",),
        ("num_processes: ${N}",),
        guessed=True,
        remains=("FSDS004", "FSDS103"),
    ),
    "quoted template": Flawed(
        FSDP1.replace("8", "'{{ n }}'"),
        ("4:17: error[FSDS004] `{{ n }}`",),
        ("'{{ n }}'",),
        guessed=True,
        remains=("FSDS004", "FSDS103"),
    ),
    "template in a comment": Flawed(
        FSDP1.replace("one node", "{{ n }} nodes"), (), ("# {{ n }} nodes",), launches=True
    ),
    "comments in JSON": Flawed(
        "// one\n" + DEEPSPEED_JSON.replace("3", "3 /* all */"),
        ("1:1: error[FSDS003] a comment", "2:62: error[FSDS003] a comment"),
        ("fsdp_reshard_after_forward: true",),
        to="fsdp2",
        name="a.json",
    ),
    "comma too many in JSON": Flawed(
        DEEPSPEED_JSON.replace("3}", "3,}"), ("1:61: error[FSDS003] a comma before `}`",), to="fsdp2", name="a.json"
    ),
    "no distributed type": Flawed(
        FSDP1.replace("distributed_type: FSDP\n", ""),
        (": error[FSDS401] the file has no `distributed_type`",),
        ("DEEPSPEED",),
    ),
    "distributed type in lower case": Flawed(
        FSDP1.replace(": FSDP", ": fsdp"),
        ("2:19: error[FSDS402] `distributed_type: fsdp`", "write `FSDP`"),
        ("DEEPSPEED",),
    ),
    "old name of XLA": Flawed("distributed_type: TPU\nnum_processes: 8\n", ("1:19: error[FSDS402]",)),
    "unquoted NO": Flawed(
        "distributed_type: NO\nmixed_precision: no\n",
        ("1:19: error[FSDS402] `distributed_type: NO`", "write `NO` in quotes"),
    ),
    "unknown key at the top": Flawed(
        f"num_proceses: 4\n{FSDP1}",
        ("1:1: error[FSDS101] unknown key `num_proceses`; did you mean `num_processes`?",),
        ("num_processes: 8",),
        ("num_proceses",),
    ),
    "unknown key in a section": Flawed(
        FSDP1.replace("sharding_strategy", "shardng_strategy"),
        ("8:3: warning[FSDS102] unknown key `fsdp_shardng_strategy`; did you mean `fsdp_sharding_strategy`?",),
        ("zero_stage: 3",),
        ("shardng",),
        launches=True,
    ),
    "unknown key within FSDP": Flawed(
        FSDP1.replace("  fsdp_state", "  fsdp_colour: red\n  fsdp_state"),
        ("10:3: warning[FSDS102] unknown key `fsdp_colour`",),
        ("fsdp_version: 2",),
        ("colour",),
        to="fsdp2",
        launches=True,
    ),
    "unknown keys in sections that both read": Flawed(
        f"{FSDP1}dynamo_config:\n  dynamo_backend: INDUCTOR\n  dynamo_colour: red\n"
        "fp8_config:\n  backend: TE\n  hue: red\n",
        ("14:3: warning[FSDS102] unknown key `dynamo_colour`", "17:3: warning[FSDS102] unknown key `hue`"),
        ("dynamo_backend: INDUCTOR", "backend: TE"),
        ("colour", "hue"),
        to="fsdp2",
        launches=True,
    ),
    "unknown key in DeepSpeed's section": Flawed(
        f"{ZERO3}  zero_stag: 2\n",
        ("9:3: warning[FSDS102] unknown key `zero_stag`; did you mean `zero_stage`?",),
        (),
        ("zero_stag:",),
        "fsdp2",
        launches=True,
    ),
    "unknown key in a nested section of JSON": Flawed(
        DEEPSPEED_JSON.replace('"stage"', '"stge": 2, "stage"'),
        ("1:51: error[FSDS101] unknown key `stge`; did you mean `stage`?",),
        ("zero_stage: 3",),
        ("stge",),
        name="a.json",
    ),
    "unknown key in a named file": Flawed(
        WITH_FILE,
        ("ds.json:1:51: error[FSDS101] unknown key `stge`",),
        ("fsdp_reshard_after_forward: true",),
        ("stge",),
        to="fsdp2",
        others={"ds.json": DEEPSPEED_JSON.replace('"stage"', '"stge": 2, "stage"')},
    ),
    "section that is a value": Flawed(
        "distributed_type: FSDP\nnum_processes: 8\nfsdp_config: FULL_SHARD\n",
        ("3:14: error[FSDS007] `fsdp_config` is not a mapping but `FULL_SHARD`",),
        ("zero_stage: 3",),
    ),
    "section that is a list": Flawed(
        "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config: [zero_stage]\n",
        ("3:19: error[FSDS007] `deepspeed_config` is not a mapping",),
        to="fsdp2",
    ),
    "section of another type": Flawed(
        FSDP1 + "deepspeed_config: {zero_stage: 3}\n",
        ("12:1: warning[FSDS108] `deepspeed_config` is not read",),
        launches=True,
    ),
    "keys that are no text": Flawed(
        f"1: a\nnull: b\n2024-01-01: c\n{FSDP1}", ("1:1: error[FSDS101] unknown key `1`",), (), ("2024",)
    ),
    "Windows paths": Flawed(
        f"{ZERO3}  deepspeed_hostfile: C:\\jobs\\hosts.txt # of the cluster\n",
        (),
        ("C:\\jobs\\hosts.txt # of the cluster",),
        launches=True,
    ),
    "wrong value": Flawed(
        FSDP1.replace("FULL_SHARD", "FULL_SHRAD"),
        ("8:27: error[FSDS103] `fsdp_sharding_strategy: FULL_SHRAD`",),
        guessed=True,
    ),
    "escape sequence": Flawed(
        'fsdp_config: {"fsdp_a\\e[31m": "\\e[31m\\n", fsdp_auto_wrap_policy: "\\e[0m\\nx"}\n'
        + FSDP1.split("fsdp_config")[0],
        (
            "1:15: warning[FSDS102] unknown key `fsdp_a\\x1b[31m`",
            "`fsdp_auto_wrap_policy: \\x1b[0m\\nx` is not accepted\n    `\\x1b[0m\\nx` is not one of",
        ),
        guessed=True,
    ),
}


def write(flawed: Flawed, folder: Path) -> Path:
    content = flawed.content
    (folder / flawed.name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for name, text in flawed.others.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("case", FLAWED)
def test_flaws_are_reported(case: str, tmp_path: Path) -> None:
    flawed = FLAWED[case]
    done = run(write(flawed, tmp_path), "effective", flawed.name)
    assert (done.status, done.err) == (0 if flawed.launches else 1, "")
    assert_found(flawed, done.out)
    assert bool(flawed.findings) == ("[FSDS" in done.out)
    assert "\x1b" not in done.out


def assert_found(flawed: Flawed, text: str) -> None:
    for found in flawed.findings:
        begin = f"{flawed.name}:" if found[0].isdigit() else flawed.name if found[0] == ":" else ""
        assert begin + found in text


@pytest.mark.parametrize("case", FLAWED)
def test_flawed_file_converts(case: str, tmp_path: Path) -> None:
    flawed = FLAWED[case]
    command = ["convert", flawed.name, "--to", flawed.to]
    done = run(write(flawed, tmp_path), *command)
    if flawed.guessed:
        assert (done.status, done.out) == (1, "")
        assert "nothing written" in done.err
        done = run(tmp_path, *command, "--allow-lossy")
    assert done.status == 0, done.err
    assert_found(flawed, done.err)
    assert "\x1b" not in done.err
    converted = done.out
    assert [part for part in flawed.holds if part not in converted] == []
    assert [part for part in flawed.lacks if part in converted] == []
    assert isinstance(yaml.safe_load(converted), dict)


@pytest.mark.parametrize("case", FLAWED)
def test_conversion_of_a_flawed_file_has_no_flaw_of_its_own(case: str, tmp_path: Path) -> None:
    """What was unknown, or refused, is not carried over."""
    flawed = FLAWED[case]
    command = ["convert", flawed.name, "--to", flawed.to, "-o", "new.yaml", "--allow-lossy"]
    assert run(write(flawed, tmp_path), *command).status == 0
    done = run(tmp_path, "effective", "new.yaml")
    lines = done.out.splitlines()
    found = {code for line in lines for code in re.findall(r"(?:error|warning)\[(FSDS\d+)\]", line)}
    no_topology = {"FSDS403"} if flawed.name == "a.json" else set()
    assert found == {*flawed.remains, *no_topology}


def test_unknown_key_in_a_section_that_nothing_reads(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{FSDP1}mpirun_config:\n  mpirun_hostfile: hosts\n  colour: red\n")
    done = run(tmp_path, "convert", "a.yaml", "--to", "fsdp2")
    assert done.status == 0
    assert "colour" not in done.out


def test_guess_between_spellings_of_one_engine(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(DEEPSPEED_JSON.replace("3", "4"))
    done = run(tmp_path, "convert", "a.json", "--to", "deepspeed")
    assert (done.status, done.out) == (1, "")


def test_lines_end_as_in_the_source(tmp_path: Path) -> None:
    for newline in ("\n", "\r\n", "\r"):
        (tmp_path / "a.yaml").write_bytes(FSDP1.replace("\n", newline).encode())
        done = run(tmp_path, "convert", "a.yaml", "--to", "deepspeed", "-o", "new.yaml", "--overwrite")
        assert done.status == 0
        text = (tmp_path / "new.yaml").read_bytes().decode()
        assert newline in text
        assert text.replace(newline, "").isprintable()
