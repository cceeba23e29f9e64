"""Real configuration files beside the repository; tests that read them skip where they are absent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[2].parent / "shared" / "corpus"

_FILE_LINE = re.compile(
    r"""^(?P<key>\s*deepspeed_config_file\s*:[ \t]*)(?P<value>[^\s#][^#\n]*?)(?=[ \t]*(?:\#|$))""", re.MULTILINE
)
_ABSENT = ("none", "null", "~")


class CorpusFile(NamedTuple):
    """A file and its kind: the name of the folder it lies in."""

    path: Path
    kind: str


def files(*kinds: str) -> Iterator[CorpusFile]:
    """Files of the kinds (a prefix will do: "accelerate-"), in order; of all kinds when none is given."""
    for folder in sorted(path for path in ROOT.glob("*") if path.is_dir()):
        if not kinds or folder.name.startswith(kinds):
            yield from (CorpusFile(path, folder.name) for path in sorted(folder.iterdir()))


@contextmanager
def with_deepspeed_file(path: Path, json_path: Path) -> Iterator[Path]:
    """A copy of an Accelerate file whose `deepspeed_config_file` names `json_path`; all else stays to the letter."""
    text = path.read_text(encoding="utf-8")
    target = str(json_path.resolve())
    if path.suffix == ".json":
        config = json.loads(text)
        config["deepspeed_config"]["deepspeed_config_file"] = target
        text = json.dumps(config)
    else:
        text = _FILE_LINE.sub(
            lambda found: found["key"] + (found["value"] if _absent(found["value"]) else target), text
        )
    with TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        copy.write_text(text, encoding="utf-8")
        yield copy


@contextmanager
def referring_to(json_path: Path, num_processes: int = 8) -> Iterator[Path]:
    """A minimal Accelerate file that runs a DeepSpeed JSON on one node."""
    lines = (
        "distributed_type: DEEPSPEED",
        f"num_processes: {num_processes}",
        "deepspeed_config:",
        f"  deepspeed_config_file: {json.dumps(str(json_path.resolve()))}",
    )
    with TemporaryDirectory() as folder:
        copy = Path(folder, "accelerate.yaml")
        copy.write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield copy


def _absent(value: str) -> bool:
    return value.strip("'\"").lower() in _ABSENT
