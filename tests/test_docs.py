"""Every example of README.md and docs/ is run.

A ```console block holds commands after `$ `, each with stdout and stderr below it; `# exit N` ends the line of one that
does not exit with 0. A block with `title="NAME"` is a file: the commands below it on the page find it in their folder,
beside examples/. `pytest tests/test_docs.py --update` writes what is printed now into the pages.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fsds_convert._docs.__main__ import main as generate

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "rules").glob("*.md"))]
# those that are generated hold no example that is run
WRITTEN = [page for page in PAGES if page.name != "mapping.md" and page.parent.name != "rules"]

FENCE = re.compile(
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
EXIT = re.compile(r"\s+# exit (\d+)$")
LINK = re.compile(r"\[[^\]]*\]\((?P<file>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
# shell commands that install or take minutes, and lines for a training script
NOT_RUN = ("sh", "python")

# as the console script does, whatever is installed
START = 'import sys; sys.argv[0] = "fsds"; from fsds_convert.cli import main; main()'


@dataclass(frozen=True)
class Example:
    """The nth console block of a page, and the files that stand above it."""

    page: Path
    number: int
    body: str
    files: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return f"{self.page.name}-{self.number}"


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def examples() -> Iterator[Example]:
    for page in WRITTEN:
        files: dict[str, str] = {}
        number = 0
        for block in FENCE.finditer(text_of(page)):
            if block["title"]:
                files[block["title"]] = block["body"]
            if block["language"] == "console":
                number += 1
                yield Example(page, number, block["body"], tuple(files.items()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder with examples/, and `fsds` before it on the path."""
    shutil.copytree(ROOT / "examples", tmp_path / "at" / "examples")
    command = tmp_path / "bin" / "fsds"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c \'{START}\' "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path / "at"


def run(command: str, folder: Path) -> str:
    """The command line with the exit status that it ended in, and what it printed."""
    plain = {"NO_COLOR": "1", "COLUMNS": "80", "TERM": "dumb", "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "CLICOLOR_FORCE")}
    path = f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**kept, **plain, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    status = f"  # exit {done.returncode}" if done.returncode else ""
    return f"$ {command}{status}\n{done.stdout}" + ("\n" if done.stdout and not done.stdout.endswith("\n") else "")


@pytest.mark.parametrize("example", list(examples()), ids=str)
def test_example_prints_what_it_says(example: Example, folder: Path, request: pytest.FixtureRequest) -> None:
    for name, body in example.files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(body, encoding="utf-8")
    lines = example.body.splitlines()
    assert lines[0].startswith("$ "), "a console block begins with a command"
    printed = "".join(run(EXIT.sub("", line[2:]), folder) for line in lines if line.startswith("$ "))
    assert "has a bug" not in printed
    if request.config.getoption("--update"):
        rewrite(example, printed)
        return
    assert printed == "\n".join(lines) + "\n"


def rewrite(example: Example, body: str) -> None:
    """Puts the body into the nth console block of the page."""
    text = text_of(example.page)
    blocks = [block for block in FENCE.finditer(text) if block["language"] == "console"]
    start, end = blocks[example.number - 1].span("body")
    example.page.write_text(text[:start] + body + text[end:], encoding="utf-8")


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_every_block_is_run_or_a_file(page: Path) -> None:
    blocks = FENCE.finditer(text_of(page))
    left = [block[0] for block in blocks if not block["title"] and block["language"] not in ("console", *NOT_RUN)]
    assert left == []
    assert text_of(page).count("```") == 2 * len(FENCE.findall(text_of(page)))


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_python_blocks_are_python(page: Path) -> None:
    for block in FENCE.finditer(text_of(page)):
        if block["language"] == "python":
            compile(block["body"], page.name, "exec")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for link in LINK.finditer(FENCE.sub("", text_of(page))):
        if link["file"].startswith("https://"):
            continue
        target = page.parent / link["file"] if link["file"] else page
        if not target.exists() or (link["anchor"] and link["anchor"] not in anchors(target)):
            dead.append(link[0])
    assert dead == []


def anchors(page: Path) -> set[str]:
    """The ids that are written, and those that GitHub makes of headings."""
    text = FENCE.sub("", text_of(page))
    written = set(re.findall(r'<a id="([^"]+)"', text))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return written | {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_generated_page_is_current(request: pytest.FixtureRequest) -> None:
    assert generate([] if request.config.getoption("--update") else ["--check"]) == 0
