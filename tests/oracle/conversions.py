"""What every conversion promises, held against upstream and against fsds's own reading of the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from fsds_convert.containers import accelerate_file, deepspeed_json
from fsds_convert.containers.detect import detect
from fsds_convert.containers.reading import Reading
from fsds_convert.convert.conversion import Conversion
from fsds_convert.convert.convert import convert
from fsds_convert.convert.target import TARGETS, target_of
from fsds_convert.diagnostics import Severity
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import same
from fsds_convert.syntax.read_file import read_source
from fsds_convert.transfer.options import Options
from fsds_convert.transfer.rows import Fidelity

from . import corpus, deepspeed_config, plugins, prepare
from .launcher import Launched, launch
from .outcome import Refused

ENGINE_TARGETS = ("fsdp1", "fsdp2", "deepspeed", "deepspeed-json")
# a train_batch_size that was fixed for one DataLoader and one number of processes
_OF_THE_DATALOADER = ("Check batch related parameters", "Micro batch size per gpu: 0")


@dataclass(frozen=True)
class Converted:
    """A conversion, written to disk and read again."""

    conversion: Conversion
    path: Path
    back: Reading

    @property
    def unchanged(self) -> bool:
        """A -> A."""
        main = self.conversion.output("main")
        return main is not None and main.text == self.conversion.reading.source.text


def read(path: Path, context: Context) -> Reading:
    """A file as the command line reads it."""
    source = read_source(str(path))
    return (accelerate_file.read if detect(source) == "accelerate" else deepspeed_json.read)(source, context)


def converted(reading: Reading, target: str, context: Context, options: Options, folder: Path) -> Converted | None:
    """Converts, writes and reads again; None where the conversion is refused."""
    name = folder / "deepspeed.json"
    result = convert(reading, target_of(target), context, options, str(name))
    main, beside = result.output("main"), result.output("deepspeed-json")
    if main is None:
        return None
    as_json = target == "deepspeed-json" or (reading.container == "accelerate" and reading.source.format == "json")
    path = folder / ("converted.json" if as_json else "converted.yaml")
    path.write_text(main.text, encoding="utf-8", newline="")
    if beside is not None:
        name.write_text(beside.text, encoding="utf-8")
    return Converted(result, path, read(path, replace(context, num_processes=None, num_machines=None)))


def broken_promises(done: Converted, context: Context, *, processes: int = 8) -> Iterator[str]:
    """Each promise that a conversion does not keep: own reading, plan, upstream."""
    if done.unchanged:
        return
    # what upstream refuses of the source, and no value can be guessed for, stays as it is, and the report says so
    known = {found.code for found in done.conversion.reading.findings}
    for found in done.back.findings:
        if found.severity is Severity.ERROR and found.code not in known:
            yield f"the result has an error: {found}"
    for path, setting in done.conversion.adapted.plan.items():
        back = done.back.runs.get(path)
        if not same(back.value, setting.value) and not same(back.intent, setting.value):
            yield f"{path} was to be {setting.value!r} and reads as {back.value!r}"
    yield from _unnamed(done)
    if context.consumer == "accelerate" and done.back.launches:
        yield from refusals(done, processes)


def _unnamed(done: Converted) -> Iterator[str]:
    """The plan is the source's plan but for what the report names."""
    before = done.conversion.reading.intent
    named = {note.field for note in done.conversion.adapted.notes if note.fidelity is not Fidelity.EXACT or note.code}
    for path, setting in done.conversion.adapted.plan.items():
        if path not in named and not same(setting.value, before.get(path).value):
            yield f"{path} changed from {before.get(path).value!r} to {setting.value!r} and no note says so"


def refusals(done: Converted, processes: int) -> Iterator[str]:
    """Upstream's own word on the result: launcher, plugin, prepare, and DeepSpeed's config classes."""
    if done.back.container == "deepspeed-json":
        with corpus.referring_to(done.path, processes) as path:
            yield from _asked(path)
    else:
        yield from _asked(done.path)


def _asked(path: Path) -> Iterator[str]:
    answer = launch(path)
    found = plugins.settings(answer) if isinstance(answer, Launched) else answer
    if isinstance(found, Refused):
        yield f"{found.stage}: {found.error_type}: {found.message}"
    elif found["engine"] == "deepspeed" and isinstance(answer, Launched):
        ready = prepare.prepare(answer)
        config = ready if isinstance(ready, Refused) else deepspeed_config.build(ready.config, ready.world_size)
        if isinstance(config, Refused) and not config.message.startswith(_OF_THE_DATALOADER):
            yield f"{config.stage}: {config.error_type}: {config.message}"


def lost_on_the_way_back(done: Converted, context: Context, options: Options, folder: Path) -> Iterator[str]:
    """A -> B -> A gives A's plan back, but for what the reports name."""
    reading = done.conversion.reading
    home = "deepspeed-json" if reading.container == "deepspeed-json" else reading.engine
    if home not in TARGETS:
        return  # plain DDP is no target
    again = converted(done.back, home, context, options, folder)
    if again is None:
        return
    notes = (*done.conversion.adapted.notes, *again.conversion.adapted.notes)
    named = {note.field for note in notes if note.fidelity is not Fidelity.EXACT or note.code}
    for path, setting in reading.intent.items():
        if path not in named and not same(again.back.intent.get(path).value, setting.value):
            yield f"{path}: {setting.value!r} came back as {again.back.intent.get(path).value!r}"
