"""Real files, damaged at random: never a bug, and never a wait."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import configs
from .command import run
from .whole_program import NAMES

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
KINDS = ("accelerate-", "deepspeed-json", "trainer", "axolotl", "other")
LARGEST = 20_000

TOKENS = (
    *(
        "\n",
        "\r\n",
        "\r",
        "\t",
        " ",
        "  ",
        ":",
        ": ",
        "- ",
        "#",
        "{",
        "}",
        "[",
        "]",
        ",",
        '"',
        "'",
        "|",
        ">",
        "&a ",
        "*a",
        "<<: *a",
    ),
    *(
        "---\n",
        "...\n",
        "!x ",
        "!!int ",
        "%",
        "@",
        "`",
        "~",
        "null",
        "auto",
        "true",
        "no",
        "-1",
        "0",
        "1e9",
        ".inf",
        ".nan",
        "NaN",
    ),
    *(
        "${X}",
        "{{ x }}",
        "\ufeff",
        "\x00",
        "\x1b",
        "\x85",
        "\u2028",
        "\U0001f600",
        "\\",
        "\\ud800",
        "//",
        "/*",
        "*/",
        "? ",
    ),
    *(
        "distributed_type",
        "fsdp_config",
        "deepspeed_config",
        "zero_optimization",
        "FSDP",
        "DEEPSPEED",
        "fsdp_version: 2\n",
    ),
)


def files() -> list[Path]:
    folders = sorted(path for path in CORPUS.glob("*") if path.is_dir() and path.name.startswith(KINDS))
    found = (path for folder in folders for path in sorted(folder.iterdir()))
    return [path for path in found if path.stat().st_size <= LARGEST]


REAL = files()


def mutated(text: str, draw: random.Random) -> str:
    """A few cuts, copies, swaps and insertions; lines as often as characters."""
    for _ in range(draw.randint(1, 4)):
        lines = text.splitlines(keepends=True) or [""]
        first, second = draw.randrange(len(lines)), draw.randrange(len(lines))
        at, end = sorted((draw.randint(0, len(text)), draw.randint(0, len(text))))
        kind = draw.randrange(8)
        if kind == 0:
            del lines[first]
        elif kind == 1:
            lines.insert(second, lines[first])
        elif kind == 2:
            lines[first], lines[second] = lines[second], lines[first]
        elif kind == 3:
            lines[first] = draw.choice((" ", "  ", "\t")) + lines[first]
        elif kind == 4:
            name, colon, _ = lines[first].partition(":")
            lines[first] = f"{name}{colon} {draw.choice(TOKENS)}\n"
        if kind < 5:
            text = "".join(lines)
        elif kind == 5:
            text = text[:at] + draw.choice(TOKENS) + text[at:]
        elif kind == 6:
            text = text[:at] + text[min(end, at + 40) :]
        else:
            text = text[:at]
    return text


def commands(name: str, turn: int) -> Iterator[list[str]]:
    if turn % 3 == 0:
        yield ["effective", name, "--output-format", ("text", "json")[turn % 2]]
    elif turn % 3 == 1:
        yield ["compare", name, "good.yaml", "--for", ("accelerate", "trainer")[turn % 2]]
    yield ["convert", name, "--to", NAMES[turn % 4], "--allow-lossy", "--report", ("text", "json")[turn % 2], "--check"]


def assert_survives(folder: Path, name: str, content: bytes, turn: int) -> None:
    (folder / name).write_bytes(content)
    for command in commands(name, turn):
        start = time.process_time()
        done = run(folder, *command)
        assert done.status in (0, 1, 2), (command, done.err, content)
        assert time.process_time() - start < 2, (command, content)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mutated")
    (path / "good.yaml").write_text(configs.FSDP1)
    (path / "ds.json").write_text(configs.DEEPSPEED_JSON)
    return path


@pytest.mark.skipif(not REAL, reason="the real files are not here")
@settings(
    max_examples=250, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(path=st.sampled_from(REAL or [Path()]), turn=st.integers(0, 11), draw=st.randoms(use_true_random=False))
def test_damaged_real_file(path: Path, turn: int, draw: random.Random, folder: Path) -> None:
    text = mutated(path.read_text(encoding="utf-8", errors="replace"), draw)
    assert_survives(folder, f"a{path.suffix}", text.encode(), turn)


SEEDS = {
    "a.yaml": (configs.FSDP1, configs.FSDP2, configs.ZERO3, configs.WITH_FILE, configs.DDP, configs.HYBRID),
    "a.json": (configs.DEEPSPEED_JSON,),
}


@pytest.mark.parametrize("name", SEEDS)
@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(turn=st.integers(0, 11), draw=st.randoms(use_true_random=False))
def test_damaged_small_file(name: str, turn: int, draw: random.Random, folder: Path) -> None:
    assert_survives(folder, name, mutated(draw.choice(SEEDS[name]), draw).encode(), turn)


@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.binary(max_size=60), turn=st.integers(0, 11), name=st.sampled_from(["a.yaml", "a.json", "a"]))
def test_bytes(content: bytes, turn: int, name: str, folder: Path) -> None:
    assert_survives(folder, name, content, turn)
