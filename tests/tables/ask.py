"""Both answers on one file: what fsds reads, and what upstream makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from fsds_convert.containers import accelerate_file
from fsds_convert.containers.reading import Reading
from fsds_convert.diagnostics import Diagnostic, Severity
from fsds_convert.engines.fields import acts
from fsds_convert.errors import InputError
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source
from fsds_convert.tables.load import load_table
from tests.oracle import deepspeed_config, plugins, prepare
from tests.oracle.agreement import Pair, pairs
from tests.oracle.launcher import Launched, launch
from tests.oracle.outcome import ONLY_A_RUN_SHOWS, Refused
from tests.oracle.process import accelerator

from .files import JSON_NAME, base_json

_OF_THE_JSON = ("clipping", "accumulation", "precision")
_BATCH = ("train_batch_size", "train_micro_batch_size_per_gpu")


@dataclass(frozen=True)
class Answer:
    """`refused` by upstream, `errors` of fsds that say so, and the settings of both where upstream refuses nothing.

    `held` is DeepSpeedConfig, flat, for a DeepSpeed JSON.
    """

    refused: Refused | None
    errors: tuple[str, ...]
    pairs: tuple[Pair, ...] = ()
    held: Mapping[str, Any] = field(default_factory=dict)

    @property
    def theirs(self) -> tuple[Any, ...]:
        """All that upstream said, to compare with another file's answer."""
        refusal = (self.refused.error_type, self.refused.message) if self.refused else ()
        return (refusal, tuple((pair.name, repr(pair.theirs)) for pair in self.pairs))

    def keeps(self, key: str, written: Any) -> bool:
        """Whether upstream holds the value just as it was written: nothing has parsed it yet."""
        held = [*(pair.theirs for pair in self.pairs), *([self.held[key]] if key in self.held else [])]
        return any(
            (type(theirs) is type(written) and theirs == written)
            or theirs in (str(written), str(written).split(","))  # by way of an environment variable
            for theirs in held
        )

    def disagreement(self, key: str, written: Any) -> str:
        """What the two say differently; "" where they agree, or where upstream has not looked at the value yet."""
        if self.errors and not self.refused:
            return "" if self.keeps(key, written) else f"only fsds refuses it: {self.errors[0]}"
        if self.refused:
            return "" if self.errors else f"only upstream refuses it: {self.refused.error_type}: {self.refused.message}"
        return "; ".join(f"{p.name}: fsds {p.ours!r}, upstream {p.theirs!r}" for p in self.pairs if not p.agrees)


def ask(path: Path) -> Answer:
    """Asks about an Accelerate file: launcher, plugin, prepare and DeepSpeedConfig, as far as its engine goes."""
    reading, errors = _read(path)
    launched = launch(path)
    found = plugins.settings(launched) if isinstance(launched, Launched) else launched
    if isinstance(found, Refused) or isinstance(launched, Refused):
        return Answer(found if isinstance(found, Refused) else None, errors)
    config = _config(launched) if found["engine"] == "deepspeed" else None
    if isinstance(config, Refused) or reading is None:
        return Answer(config if isinstance(config, Refused) else None, errors)
    told = tuple(pairs(reading, found, config))
    if len(told) > 1:
        told += (*_handlers(reading, found), *_process(reading, launched))
    elif any(found.name == "distributed-type-refused" for found in reading.findings):
        told = ()  # it launches something else than was meant, and fsds says so
    return Answer(None, errors, told)


def ask_json(path: Path) -> Answer:
    """Asks about the DeepSpeed JSON beside an Accelerate file that is the same each time; only the JSON's settings."""
    reading, errors = _read(path)
    launched, found = _launched(path)
    config = _config(launched)
    if isinstance(config, Refused) or reading is None:
        return Answer(config if isinstance(config, Refused) else None, errors)
    keys = load_table("deepspeed-json").by_key
    told = [pair for pair in pairs(reading, found, config) if pair.name in keys or pair.name in _OF_THE_JSON]
    written = [key for key in _BATCH if isinstance(reading.settings[key].value, int)]
    told += [Pair(key, reading.settings[key].value, config[key]) for key in written]
    return Answer(None, errors, tuple(told), config)


@lru_cache(maxsize=4)
def _launched(path: Path) -> tuple[Launched, dict[str, Any]]:
    beside = path.parent / JSON_NAME
    text = beside.read_text(encoding="utf-8")
    beside.write_text(base_json(), encoding="utf-8")
    launched = launch(path)
    assert isinstance(launched, Launched), launched
    found = plugins.settings(launched)
    assert not isinstance(found, Refused), found
    beside.write_text(text, encoding="utf-8")
    return launched, found


def _read(path: Path) -> tuple[Reading | None, tuple[str, ...]]:
    try:
        reading = accelerate_file.read(read_source(str(path)), Context())
    except InputError as error:
        return None, (error.message.removeprefix(str(path)),)
    return reading, tuple(f"{found.name}: {found.message}" for found in reading.findings if _stops(found))


def _stops(found: Diagnostic) -> bool:
    """Errors but for those on what launches all the same, with something else than was meant."""
    launches = (
        found.name in ("value-misread", *ONLY_A_RUN_SHOWS)
        or (found.name == "section-not-a-mapping" and found.note.startswith("Accelerate ignores it"))
        or (found.name == "distributed-type-refused" and "another type" in found.note)
    )
    return found.severity is Severity.ERROR and not launches


def _config(launched: Launched) -> dict[str, Any] | Refused:
    handed = prepare.prepare(launched)
    if isinstance(handed, Refused):
        return handed
    return deepspeed_config.build(handed.config, handed.world_size)


def _handlers(reading: Reading, found: dict[str, Any]) -> Iterator[Pair]:
    """The handlers of ParallelismConfig, and its backends."""
    held = found["parallelism"] or {}
    for row in load_table("parallelism"):
        name = (row.plugin or "").rpartition(".")[2]
        if name in held and acts(row, reading.engine) and row.key in reading.settings and not name.endswith("_size"):
            yield Pair(name, reading.settings[row.key].value, held[name])


def _process(reading: Reading, launched: Launched) -> Iterator[Pair]:
    """What only the Accelerator itself shows: debug mode, the device, the recipe of fp8; and how mpirun is started."""
    settings = reading.settings
    if "mpirun_config.mpirun_hostfile" in settings and launched.launcher == "simple_launcher":
        yield Pair("hostfile", settings["mpirun_config.mpirun_hostfile"].value, launched.args.mpirun_hostfile)
    shown = (settings["debug"], *(settings[key] for key in ("use_cpu",) if key in settings))
    if not any(setting.is_written for setting in shown) and settings["mixed_precision"].value != "fp8":
        return
    with accelerator(launched) as (started, _):
        yield Pair("debug", settings["debug"].value, started.state.debug)
        if "use_cpu" in settings:
            yield Pair("use_cpu", settings["use_cpu"].value, started.state._cpu)
        if not started.fp8_enabled or reading.engine == "deepspeed":
            return
        for handler in (started.te_recipe_handler, started.msamp_recipe_handler):
            for row in load_table("fp8"):
                if handler is not None and hasattr(handler, row.plugin or "") and acts(row, reading.engine):
                    ours = settings[row.key].value if row.key in settings else None
                    theirs = getattr(handler, row.plugin or "")
                    yield Pair(f"fp8.{row.plugin}", _plain(ours), _plain(theirs))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
