"""Writes docs/results/corpus.md: `python -m tests.oracle.corpus_report`, where the corpus lies beside the checkout."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from fsds_convert.errors import FsdsError
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided
from fsds_convert.transfer.options import Options

from . import corpus, plugins
from .agreement import agreement
from .conversions import ENGINE_TARGETS, broken_promises, converted, lost_on_the_way_back, read
from .launcher import Launched, launch
from .outcome import Refused

PAGE = Path(__file__).parents[2] / "docs" / "results" / "corpus.md"
_KINDS = (
    "accelerate-fsdp1",
    "accelerate-fsdp2",
    "accelerate-deepspeed-inline",
    "accelerate-deepspeed-file",
    "accelerate-other",
    "deepspeed-json",
)


def effective(kind: str) -> Counter[str]:
    """Files, those that Accelerate can launch, settings compared, and settings that differ."""
    count: Counter[str] = Counter()
    for file in corpus.files(kind):
        count["files"] += 1
        if kind == "deepspeed-json":
            with corpus.referring_to(file.path) as path:
                _compare(path, count)
        else:
            _compare(file.path, count)
    return count


def _compare(path: Path, count: Counter[str]) -> None:
    answer = launch(path)
    found = plugins.settings(answer) if isinstance(answer, Launched) else answer
    if isinstance(found, Refused):
        count["refused"] += 1
        return
    pairs = agreement(path)
    count["compared"] += bool(pairs)
    count["settings"] += len(pairs)
    count["differ"] += sum(not pair.agrees for pair in pairs)


def conversions(target: str) -> Counter[str]:
    """Conversions to a target over the whole corpus, and the promises that are not kept."""
    count: Counter[str] = Counter()
    some_json = next(file.path for file in corpus.files("deepspeed-json") if file.path.name == "004.json")
    for file in corpus.files("accelerate-", "deepspeed-json"):
        with TemporaryDirectory() as folder:
            if file.kind == "accelerate-deepspeed-file":
                with corpus.with_deepspeed_file(file.path, some_json) as path:
                    _convert(path, target, Path(folder), count)
            else:
                _convert(file.path, target, Path(folder), count)
    return count


def _convert(path: Path, target: str, folder: Path, count: Counter[str]) -> None:
    try:
        reading = read(path, Context())
        if isinstance(reading.runs.topology.num_processes.value, Decided):
            reading = read(path, replace(Context(), num_processes=8, num_machines=1))
    except FsdsError:
        count["not a config"] += 1
        return
    done = converted(reading, target, Context(), Options(), folder)
    if done is None:
        count["refused"] += 1
    elif done.unchanged:
        count["unchanged"] += 1
    else:
        count["converted"] += 1
        count["broken"] += bool(list(broken_promises(done, Context())))
        count["not back"] += bool(list(lost_on_the_way_back(done, Context(), Options(), folder)))


def main() -> None:
    """Writes the page."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("accelerate", "deepspeed", "transformers", "torch"))
    lines = [
        "# Real files",
        "",
        "Config files that people published, read and converted, with upstream as the oracle: Accelerate's own",
        "launcher code, `Accelerator()`, `prepare()` up to `deepspeed.initialize`, and `DeepSpeedConfig`, asked",
        f"without launching ({packages}). Written by",
        "`python -m tests.oracle.corpus_report`; the same checks run in `tests/oracle/test_corpus.py`.",
        "",
        "## `effective` against what upstream builds",
        "",
        "A DeepSpeed JSON is launched through a minimal Accelerate file for 8 processes. Compared is every setting",
        "that upstream's objects hold. Not compared: files that upstream refuses, in the launcher, in `Accelerator()`,",
        "in `prepare()` or in `DeepSpeedConfig`, and Megatron-LM.",
        "",
        "| files | number | refused at launch | compared | settings | different |",
        "|---|---|---|---|---|---|",
    ]
    total: Counter[str] = Counter()
    for kind in _KINDS:
        count = effective(kind)
        total += count
        lines.append(_row(kind, count, "files", "refused", "compared", "settings", "differ"))
    lines += [
        _row("all", total, "files", "refused", "compared", "settings", "differ"),
        "",
        "The one difference is a `fsdp_transformer_layer_cls_to_wrap` written as a YAML list, which `fsds` reports as",
        "an error: the plugin holds the pieces of its text, and raises when a model is prepared.",
        "",
        "## Conversions",
        "",
        "Of each file to each target. Kept means: the result has no error, has the plan that the report names, loads",
        "in Accelerate, builds its plugin, passes `DeepSpeedConfig`, and differs from the source's plan only where the",
        "report says so; and converting it back gives the source's plan but for what the reports name. A file that",
        "names a DeepSpeed JSON which is not there is converted with one that is.",
        "",
        "| to | not a config | refused | unchanged | converted | promise broken | lost on the way back |",
        "|---|---|---|---|---|---|---|",
    ]
    for target in ENGINE_TARGETS:
        count = conversions(target)
        lines.append(_row(target, count, "not a config", "refused", "unchanged", "converted", "broken", "not back"))
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _row(name: str, count: Counter[str], *columns: str) -> str:
    return "| " + " | ".join([name, *(str(count[column]) for column in columns)]) + " |"


if __name__ == "__main__":
    main()
