"""Real files: what fsds reads is what upstream holds, and what fsds writes is what it promised."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("accelerate")
pytest.importorskip("deepspeed")

from fsds_convert.containers.reading import Reading
from fsds_convert.containers.yaml_lines import entries
from fsds_convert.diagnostics import Severity
from fsds_convert.errors import FsdsError
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided
from fsds_convert.transfer.options import Options

from . import corpus
from .agreement import agreement
from .conversions import ENGINE_TARGETS, broken_promises, converted, lost_on_the_way_back, read

FILES = list(corpus.files("accelerate-", "deepspeed-json"))
CONTEXT = Context()
# the class names are wrong for every model, which no plugin can know: upstream raises when the model is prepared
ONLY_PREPARE_SEES = {"accelerate-fsdp2/007.yaml": ["transformer_cls_names_to_wrap"]}


def label(file: corpus.CorpusFile) -> str:
    return f"{file.kind}/{file.path.name}"


pytestmark = pytest.mark.skipif(not FILES, reason="the corpus of real files is not here")


@pytest.mark.parametrize("file", FILES, ids=label)
def test_effective_is_what_upstream_builds(file: corpus.CorpusFile) -> None:
    """Setting by setting, on every file that Accelerate can launch; DeepSpeed JSON through a minimal YAML."""
    if file.kind == "deepspeed-json":
        with corpus.referring_to(file.path) as path:
            pairs = agreement(path)
    else:
        pairs = agreement(file.path)
    wrong = [pair for pair in pairs if not pair.agrees and pair.name not in ONLY_PREPARE_SEES.get(label(file), ())]
    assert wrong == []


@pytest.mark.parametrize("target", ENGINE_TARGETS)
@pytest.mark.parametrize("file", FILES, ids=label)
def test_conversion_keeps_its_promises(file: corpus.CorpusFile, target: str, tmp_path: Path) -> None:
    """Refused, or loads in Accelerate and DeepSpeed, has the plan that the report names, and converts back."""
    if file.kind == "accelerate-deepspeed-file":
        with corpus.with_deepspeed_file(file.path, _any_deepspeed_json()) as path:
            _check(path, target, tmp_path)
    else:
        _check(file.path, target, tmp_path)


def _check(path: Path, target: str, folder: Path) -> None:
    try:
        reading = read(path, CONTEXT)
        if isinstance(reading.runs.topology.num_processes.value, Decided):
            reading = read(path, replace(CONTEXT, num_processes=8, num_machines=1))  # as on the command line
    except FsdsError:
        pytest.skip("not a config that fsds reads")
    for options in (Options(), Options(allow_lossy=True)):
        done = converted(reading, target, CONTEXT, options, folder)
        if done is None:
            assert not options.allow_lossy
            continue
        broken = "\n".join(broken_promises(done, CONTEXT))
        assert broken == ""
        if not options.allow_lossy and not done.unchanged:
            lost = "\n".join(lost_on_the_way_back(done, CONTEXT, options, folder))
            assert lost == ""


def _any_deepspeed_json() -> Path:
    """A JSON of the corpus that launches, for YAML files whose own is not here."""
    return next(file.path for file in corpus.files("deepspeed-json") if file.path.name == "004.json")


@pytest.mark.parametrize("file", [file for file in FILES if file.path.suffix != ".json"], ids=label)
def test_lines_that_are_not_translated_stay(file: corpus.CorpusFile, tmp_path: Path) -> None:
    """Every line outside of the translated sections and the keys that change is in the result, to the byte."""
    try:
        reading = read(file.path, CONTEXT)
        done = converted(
            reading, "fsdp2" if reading.engine == "deepspeed" else "deepspeed", CONTEXT, Options(True), tmp_path
        )
    except FsdsError:
        pytest.skip("not a config that fsds reads")
    assert done is not None
    kept, changed = [], ("fsdp_config", "deepspeed_config", "parallelism_config", "dynamo_config", "distributed_type")
    inside = False
    refused = _with_errors(reading)
    for line in reading.source.text.splitlines():
        if line[:1] not in (" ", "\t", "#", "-", ""):
            key = line.partition(":")[0].strip("'\"")
            inside = key in (*changed, "mixed_precision", "num_processes") or key in refused
        if not inside and line.strip():
            kept.append(line)
    written = done.path.read_text(encoding="utf-8").splitlines()
    assert [line for line in kept if line not in written] == []


def _with_errors(reading: Reading) -> set[str]:
    """The top-level keys that hold something Accelerate refuses, which a conversion mends."""
    found = set()
    for entry in entries(reading.source):
        lines = range(entry.first + 1, entry.last + 1)
        if any(f.severity is Severity.ERROR and f.place.span and f.place.span.line in lines for f in reading.findings):
            found.add(entry.name)
    return found
