"""A fact about a key: one row of a table under `mappings/`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

from fsds_convert.tables.versions import Version, Versions, parse_version

NO_DEFAULT: Any = object()
CONSUMERS = ("launcher", "plugin", "library")
# who decides in the tables of what only the Trainer reads
_TRAINER = {"trainer-fsdp": ("trainer",), "training-args": ("trainer",)}


@dataclass(frozen=True)
class Since:
    """`package` at `version`: the release that a fact begins or ends with."""

    package: str
    version: Version
    text: str

    @classmethod
    def parse(cls, text: str) -> Since:
        """`"accelerate 1.6.0"` -> Since; raises ValueError for anything else."""
        package, _, version = text.partition(" ")
        return cls(package, parse_version(version), text)

    def reached(self, versions: Versions) -> bool:
        """Whether the versions in force are at or past this release."""
        return versions.of(self.package) >= self.version


@dataclass(frozen=True)
class Condition:
    """When a fact holds: engines, releases and effective values of other keys of the same engine."""

    engines: tuple[str, ...] = ()
    since: Since | None = None
    before: Since | None = None
    when: Mapping[str, tuple[Any, ...]] = dataclass_field(default_factory=dict)

    def holds(self, engine: str, versions: Versions, effective: Mapping[str, Any]) -> bool:
        """True when every part of the condition that is given holds."""
        return (
            (not self.engines or engine in self.engines)
            and (self.since is None or self.since.reached(versions))
            and (self.before is None or not self.before.reached(versions))
            and all(key in effective and effective[key] in allowed for key, allowed in self.when.items())
        )


@dataclass(frozen=True)
class Default:
    """What a consumer uses when the key is not written; the first whose condition holds is taken."""

    consumer: str
    value: Any
    condition: Condition


@dataclass(frozen=True)
class Ignored:
    """When a written value has no effect, and what runs instead.

    `meant`: the file asks for something else than it gets, and a conversion carries what it asks for. `unread`: nobody
    parses the value, so that a wrong one is not refused either. `by_accelerate`: not so for a script that calls
    DeepSpeed itself. `quiet`: nothing that is trained or saved depends on it, and reading a file does not speak of it.
    """

    condition: Condition
    note: str
    value: Any = NO_DEFAULT
    meant: bool = False
    unread: bool = False
    by_accelerate: bool = False
    quiet: bool = False


@dataclass(frozen=True)
class Elsewhere:
    """What is lost where another engine has no counterpart of the key."""

    fidelity: str
    effect: str
    note: str


@dataclass(frozen=True)
class Row:
    """One key of one dialect.

    `key` is dotted from the root of the container. `values` maps each spelling to the plan's word for it; `aliases`
    maps further accepted spellings to one of `values`, `mistaken` (in lower case) those that upstream
    refuses although it is clear what is meant. `json` is the DeepSpeed JSON key that an inline key becomes.
    `auto` is True where a plain script resolves "auto", and `trainer` where only the Trainer does. `range` is the
    interval that a number has to lie in, as "[0, 1)" or "[0, )".
    `confused_with` is the section whose keys people copy into this one. `source` is the upstream file and line the row
    was read from.
    """

    key: str
    type: str
    source: str
    table: str = ""
    field: str | None = None
    engines: tuple[str, ...] = ()
    values: Mapping[Any, Any] = dataclass_field(default_factory=dict)
    aliases: Mapping[str, Any] = dataclass_field(default_factory=dict)
    mistaken: Mapping[str, Any] = dataclass_field(default_factory=dict)
    case: str = "exact"
    defaults: tuple[Default, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    elsewhere: Mapping[str, Elsewhere] = dataclass_field(default_factory=dict)
    write: str = "changed"
    since: Since | None = None
    removed: Since | None = None
    replaced_by: str | None = None
    auto: bool | str = False
    range: str = ""
    env: str | None = None
    plugin: str | None = None
    json: str | None = None
    conflicts_with_file: bool = False
    null_is_absent: bool = False
    unknown_keys: str = "ignored"
    confused_with: str = ""
    note: str = ""

    @property
    def never_read(self) -> Ignored | None:
        """The entry of `ignored` that holds whatever else the file says, where nobody parses the value."""
        return next((ignored for ignored in self.ignored if ignored.unread and ignored.condition == Condition()), None)

    @property
    def name(self) -> str:
        """The last part of the key: as it is written inside its section."""
        return self.key.rpartition(".")[2]

    def default_for(
        self,
        engine: str,
        versions: Versions,
        effective: Mapping[str, Any] | None = None,
        *,
        by: bool = False,
        consumers: tuple[str, ...] = CONSUMERS,
    ) -> Any:
        """What runs when the key is not written: of `accelerate launch`, else the plugin, else DeepSpeed itself.

        In the Trainer's own tables, of the Trainer.

        NO_DEFAULT when the table names none. With `by`, the pair of the consumer and the value.
        """
        for consumer in _TRAINER.get(self.table, consumers):
            for candidate in self.defaults:
                if candidate.consumer == consumer and candidate.condition.holds(engine, versions, effective or {}):
                    value = tuple(candidate.value) if isinstance(candidate.value, list) else candidate.value
                    return (consumer, value) if by else value
        return NO_DEFAULT
