"""Both answers on one file: what fsds reads, and what upstream makes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from oracle import deepspeed_config, plugins, prepare
from oracle.agreement import Pair, pairs
from oracle.launcher import Launched, launch
from oracle.outcome import Refused

from fsds_convert.containers import accelerate_file
from fsds_convert.containers.reading import Reading
from fsds_convert.diagnostics import Diagnostic, Severity
from fsds_convert.errors import InputError
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source

# errors on files that upstream launches all the same, with something else than was meant
_LAUNCHES = ("value-misread", "section-not-a-mapping", "distributed-type-refused")


@dataclass(frozen=True)
class Answer:
    """`refused` by upstream, `errors` of fsds that say so, and the settings of both where neither refuses."""

    refused: Refused | None
    errors: tuple[Diagnostic, ...]
    unreadable: str = ""
    pairs: tuple[Pair, ...] = field(default=())

    @property
    def ours_refuses(self) -> bool:
        """Whether fsds says that the file does not launch."""
        return bool(self.errors or self.unreadable)

    @property
    def seen(self) -> tuple[object, ...]:
        """What upstream said, to compare with another file's."""
        refusal = (self.refused.error_type, self.refused.message) if self.refused else ()
        return (refusal, tuple((pair.name, repr(pair.theirs)) for pair in self.pairs))


def ask(path: Path) -> Answer:
    """Asks fsds and upstream about an Accelerate file."""
    reading: Reading | None = None
    unreadable, errors = "", ()
    try:
        reading = accelerate_file.read(read_source(str(path)), Context())
        errors = tuple(f for f in reading.findings if f.severity is Severity.ERROR and f.name not in _LAUNCHES)
    except InputError as error:
        unreadable = error.message
    launched = launch(path)
    if isinstance(launched, Refused):
        return Answer(launched, errors, unreadable)
    found = plugins.settings(launched)
    if isinstance(found, Refused):
        return Answer(found, errors, unreadable)
    config = None
    if found["engine"] == "deepspeed":
        config = _config(launched)
        if isinstance(config, Refused):
            return Answer(config, errors, unreadable)
    if reading is None:
        return Answer(None, errors, unreadable)
    return Answer(None, errors, unreadable, tuple(pairs(reading, found, config)))


def _config(launched: Launched) -> dict[str, object] | Refused:
    handed = prepare.prepare(launched)
    if isinstance(handed, Refused):
        return handed
    return deepspeed_config.build(handed.config, handed.world_size)
