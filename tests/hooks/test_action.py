"""action.yml: its metadata against the published schema, and the shell of its steps with what a runner gives them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.configs import FSDP1

from .installed import ROOT, Hooks

BAD = FSDP1.replace("fsdp_sharding_strategy", "fsdp_shardng_strategy")
REFUSED = FSDP1.replace("num_machines", "num_machnes")
START = 'import sys; sys.argv[0] = "fsds"; from fsds_convert.cli import main; main()'
_EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs bash")


def action() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return parsed


def step(id: str) -> dict[str, Any]:
    return next(step for step in action()["runs"]["steps"] if step.get("id") == id)


def test_metadata_fits_the_published_schema() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_expression_stands_in_a_script() -> None:
    """What an input holds would be run as a part of it."""
    scripts = [step["run"] for step in action()["runs"]["steps"] if "run" in step]
    assert len(scripts) == 2
    assert not any("${{" in script for script in scripts)


def test_every_input_is_used_and_described() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    inputs = action()["inputs"]
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(inputs)
    assert all(input["description"] and isinstance(input["default"], str) for input in inputs.values())


@dataclass(frozen=True)
class Ran:
    """What a step printed, and what it left for the runner."""

    status: int
    out: str
    err: str
    summary: str
    outputs: Mapping[str, str]


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    program = tmp_path / "bin" / "fsds"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c \'{START}\' "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    workspace = tmp_path / "work space"
    workspace.mkdir()
    return Runner(workspace, program)


@dataclass(frozen=True)
class Runner:
    """Runs a step as GitHub's runner does: expressions are filled in `env` only, and bash gets the script as a file."""

    workspace: Path
    program: Path

    def run(self, step: Mapping[str, Any], inputs: Mapping[str, str]) -> Ran:
        known = {f"inputs.{name}": input["default"] for name, input in action()["inputs"].items()}
        known |= {f"inputs.{name}": value for name, value in inputs.items()}
        known |= {"github.action_path": str(ROOT), "steps.install.outputs.program": str(self.program)}
        given = {name: _EXPRESSION.sub(lambda found: known[found[1]], text) for name, text in step["env"].items()}
        files = {name: self.program.parent / name for name in ("script.sh", "summary.md", "output")}
        files["script.sh"].write_text(step["run"], encoding="utf-8")
        for name in ("summary.md", "output"):
            files[name].write_text("", encoding="utf-8")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(files["script.sh"])],
            cwd=self.workspace,
            env={**os.environ, **_environment(files, self.program.parent), **given},
            capture_output=True,
            text=True,
            check=False,
        )
        pairs = (line.partition("=") for line in files["output"].read_text(encoding="utf-8").splitlines())
        outputs = {name: value for name, _, value in pairs}
        return Ran(done.returncode, done.stdout, done.stderr, files["summary.md"].read_text(encoding="utf-8"), outputs)

    def lint(self, **inputs: str) -> Ran:
        return self.run(step("lint"), {name.replace("_", "-"): value for name, value in inputs.items()})

    def printing(self) -> Runner:
        """With a command that prints its arguments in place of `fsds`."""
        program = self.program.with_name("printing")
        program.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n", encoding="utf-8")
        program.chmod(0o755)
        return Runner(self.workspace, program)

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.workspace / f"{name}.yaml").write_text(text, encoding="utf-8")


def _environment(files: Mapping[str, Path], temporary: Path) -> dict[str, str]:
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_WORKFLOW": "ci",
        "GITHUB_STEP_SUMMARY": str(files["summary.md"]),
        "GITHUB_OUTPUT": str(files["output"]),
        "RUNNER_TEMP": str(temporary),
        "PYTHONPATH": str(ROOT),
    }


def test_findings_become_annotations_and_a_summary(runner: Runner) -> None:
    runner.write(bad=BAD, good=FSDP1, other="a: 1\n")
    ran = runner.lint()
    assert (ran.status, ran.outputs) == (1, {"exit-status": "1"})
    assert ran.out.startswith("::warning title=fsds (FSDS102),file=bad.yaml,line=8,col=3,endLine=8,endColumn=24::")
    assert ran.out.count("::warning") == 1
    assert ran.summary.startswith("## fsds lint\n")
    assert "| warning | FSDS102 |" in ran.summary
    assert "`bad.yaml:8:3`" in ran.summary


def test_nothing_found(runner: Runner) -> None:
    runner.write(good=FSDP1)
    ran = runner.lint()
    assert (ran.status, ran.out, ran.outputs) == (0, "", {"exit-status": "0"})
    assert "All checks passed: 1 file" in ran.summary


def test_sarif(runner: Runner) -> None:
    runner.write(bad=BAD)
    ran = runner.lint(sarif_file="out.sarif")
    assert ran.status == 1
    document = json.loads((runner.workspace / "out.sarif").read_text(encoding="utf-8"))
    assert [result["ruleId"] for result in document["runs"][0]["results"]] == ["FSDS102"]
    assert "1 warning in 1 file" in ran.err


def test_sarif_that_cannot_be_written_fails_the_step(runner: Runner) -> None:
    runner.write(good=FSDP1)
    ran = runner.lint(sarif_file="none/out.sarif")
    assert (ran.status, ran.outputs) == (2, {"exit-status": "2"})
    assert "none/out.sarif: cannot be written" in ran.err


def test_a_path_that_is_not_there(runner: Runner) -> None:
    runner.write(bad=BAD)
    ran = runner.lint(paths="none.yaml\nbad.yaml")
    assert (ran.status, ran.out.count("::warning"), ran.outputs) == (2, 1, {"exit-status": "2"})
    assert "error: none.yaml: no such file" in ran.err


GITHUB = ("--output-format", "github", "--")
# inputs -> the arguments of the command
ARGUMENTS: list[tuple[dict[str, str], tuple[str, ...]]] = [
    ({}, (*GITHUB, ".")),
    ({"paths": ""}, (*GITHUB, ".")),
    ({"paths": "b.yaml\n\na bad.yaml\n-x.yaml\n"}, (*GITHUB, "b.yaml", "a bad.yaml", "-x.yaml")),
    ({"output-format": "concise"}, ("--output-format", "concise", "--", ".")),
    ({"fail-on": "error"}, ("--fail-on", "error", *GITHUB, ".")),
    ({"args": "--select FSDS1"}, ("--select", "FSDS1", *GITHUB, ".")),
    ({"args": "\n --select FSDS1\n  --for   trainer\n"}, ("--select", "FSDS1", "--for", "trainer", *GITHUB, ".")),
    ({"args": "--exclude *"}, ("--exclude", "*", *GITHUB, ".")),
]


@pytest.mark.parametrize(("inputs", "arguments"), ARGUMENTS)
def test_arguments(inputs: dict[str, str], arguments: tuple[str, ...], runner: Runner) -> None:
    runner.write(good=FSDP1)
    ran = runner.printing().run(step("lint"), inputs)
    assert (ran.status, ran.out.splitlines()) == (0, ["lint", *arguments])


@pytest.mark.parametrize("name", ["paths", "args", "fail-on", "output-format", "sarif-file"])
@pytest.mark.parametrize("text", ["$(touch hit)", "`touch hit`", "'; touch hit; '", '"; touch hit; "', "a\ntouch hit"])
def test_an_input_is_never_run(name: str, text: str, runner: Runner) -> None:
    runner.printing().run(step("lint"), {name: text})
    assert list(runner.workspace.iterdir()) == []


def test_install_takes_the_commit_of_the_action(runner: Runner, hooks: Hooks) -> None:
    """From the committed copy: pip builds in the folder that it installs from."""
    install = {**step("install"), "env": {**step("install")["env"], "FSDS_ACTION": str(hooks.repository)}}
    ran = runner.run(install, {})
    assert ran.status == 0, ran.err
    program = ran.outputs["program"]
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True, env={})
    assert version.stdout.startswith("fsds ")


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ("", str(ROOT)),
        ("1.2.3", "fsds-convert==1.2.3"),
        ("fsds-convert[x]>=1", "fsds-convert[x]>=1"),
        ("git+https://example.invalid/fsds@main", "git+https://example.invalid/fsds@main"),
        ("--index-url=https://example.invalid", "--index-url=https://example.invalid"),
    ],
)
def test_what_is_installed(version: str, wanted: str, runner: Runner) -> None:
    """A Python that writes down what pip would be given, behind the `--` that ends its options."""
    spy = '#!/bin/sh\ncase "$2" in venv) mkdir -p "$3/bin"; cp "$0" "$3/bin/python";; *) printf "%s\\n" "$@";; esac\n'
    (runner.program.parent / "python").write_text(spy, encoding="utf-8")
    (runner.program.parent / "python").chmod(0o755)
    path = f"{runner.program.parent}{os.pathsep}{os.environ['PATH']}"
    ran = runner.run({**step("install"), "env": {**step("install")["env"], "PATH": path}}, {"version": version})
    assert ran.status == 0, ran.err
    assert ran.out.splitlines()[-2:] == ["--", wanted]
    shutil.rmtree(Path(ran.outputs["program"]).parent.parent)
