"""From every engine to every other: what a plan holds finds a place in the target, or is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest
import yaml

from fsds_convert.containers import accelerate_file
from fsds_convert.containers.reading import Reading
from fsds_convert.convert.compose import Composed, compose
from fsds_convert.engines.fields import ENGINES, Engine
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import same
from fsds_convert.syntax.read_file import read_source
from fsds_convert.transfer.adapt import Adapted, adapt
from fsds_convert.transfer.options import Options
from fsds_convert.transfer.rows import Fidelity

from .source_plans import readings

CONTEXTS = {
    "accelerate": Context(),
    "trainer": Context(consumer="trainer"),
    "bf16-model": Context(model_dtype="bf16"),
}


Sources = Callable[[Engine, Context], list[Reading]]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    """The files of an engine, read once for all targets."""
    folder = tmp_path_factory.mktemp("sources")

    @cache
    def read(engine: Engine, context: Context) -> list[Reading]:
        return list(readings(engine, folder, context))

    return read


@pytest.mark.parametrize("context", list(CONTEXTS.values()), ids=list(CONTEXTS))
@pytest.mark.parametrize(("source", "target"), list(permutations(ENGINES, 2)))
def test_target_holds_every_value(
    source: Engine, target: Engine, context: Context, sources: Sources, tmp_path: Path
) -> None:
    """An adapted plan, written and read again, is the same plan."""
    lost = [
        f"{said} from {_keys(reading)}"
        for reading in sources(source, context)
        if leads_to(reading, target)
        for said in not_held(reading, target, context, tmp_path)
    ]
    assert not lost, "\n".join(lost)


def leads_to(reading: Reading, target: Engine) -> bool:
    """Whether a conversion goes there: what replicates to plain DDP instead of FSDP2, and nothing else to DDP."""
    replicates = reading.runs.sharding.strategy.value == "replicate"
    return replicates if target == "ddp" else not (target == "fsdp2" and replicates and reading.engine != "ddp")


def not_held(reading: Reading, target: Engine, context: Context, folder: Path) -> Iterator[str]:
    """The fields that the target's file does not give back, but for those that are refused."""
    adapted = adapt(reading.runs, reading.engine, target, context, Options(allow_lossy=True))
    refused = {note.field for note in adapted.notes if note.fidelity is Fidelity.REFUSED}
    back = read_again(compose(target, adapted.plan, context), context, folder)
    if back.engine != target:
        yield f"the file is one of {back.engine}"
        return
    for path, setting in adapted.plan.items():
        found = back.runs.get(path)
        if path not in refused and not (same(found.value, setting.value) or same(found.intent, setting.value)):
            yield f"{path}: {_name(adapted, path)} makes it {setting.value!r}, the file gives {found.value!r}"


def read_again(composed: Composed, context: Context, folder: Path) -> Reading:
    """The composed keys as files, read."""
    sections = {name: dict(keys) for name, keys in composed.accelerate.sections.items()}
    if composed.json is not None:
        beside = folder / "composed.json"
        beside.write_text(json.dumps(composed.json), encoding="utf-8")
        sections["deepspeed_config"]["deepspeed_config_file"] = str(beside)
    path = folder / "composed.yaml"
    path.write_text(yaml.safe_dump({**composed.accelerate.top, **sections}), encoding="utf-8")
    return accelerate_file.read(read_source(str(path)), context)


def _name(adapted: Adapted, path: str) -> str:
    return next((note.name for note in adapted.notes if note.field == path), "") or "carried over"


def _keys(reading: Reading) -> str:
    written = {key: setting.written for key, setting in reading.settings.items() if setting.is_written}
    return ", ".join(f"{key}: {value!r}" for key, value in written.items())
