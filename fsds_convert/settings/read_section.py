"""One section of a file -> its effective settings, by the rows of its table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fsds_convert.diagnostics import Diagnostic, Place, finding
from fsds_convert.settings.coerce import coerce
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import NOT_WRITTEN, Origin, Setting
from fsds_convert.syntax.closest import closest
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Path
from fsds_convert.tables.row import NO_DEFAULT, Row
from fsds_convert.tables.table import Table


@dataclass(frozen=True)
class Section:
    """Settings by key, and what was found while reading them. `unknown` are the keys that no table knows."""

    settings: dict[str, Setting[Any]]
    findings: list[Diagnostic] = field(default_factory=list)
    unknown: list[Path] = field(default_factory=list)


@dataclass(frozen=True)
class Reader:
    """What reading a section needs to know about its surroundings."""

    source: Source
    engine: str
    context: Context

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Where a value, or its key, stands."""
        spans = self.source.keys if key else self.source.values
        return Place(self.source.name, spans.get(path) or self.source.keys.get(path))

    def section(self, table: Table, data: Mapping[Any, Any], at: Path = ()) -> Section:
        """Reads every written key, then fills in the defaults, then drops what has no effect."""
        section = Section({})
        self._read(table, data, at, "", table.unknown_keys, section)
        settings = section.settings
        _rename(table, settings)
        for row in table:
            if row.key not in settings and row.type not in ("section", "dead") and row.replaced_by is None:
                filled = self._default(row, settings)
                if filled is not None:
                    settings[row.key] = filled
        for key, setting in settings.items():
            settings[key], found = self._effect(table, setting, settings)
            section.findings.extend(found)
        return section

    def _read(
        self, table: Table, data: Mapping[Any, Any], at: Path, inside: str, unknown_keys: str, section: Section
    ) -> None:
        for name, written in data.items():
            path = (*at, name)
            row = table.row(f"{inside}.{name}" if inside else table.full_key(str(name)), self.engine)
            if row is None:
                section.unknown.append(path)
                section.findings.append(self._unknown(table, path, inside, unknown_keys))
            elif row.type == "section" and any(other.key.startswith(f"{row.key}.") for other in table):
                if isinstance(written, Mapping):
                    self._read(table, written, path, row.key, row.unknown_keys, section)
                elif written is not None:
                    section.findings.append(self.not_a_mapping(path, written, row.note))
            elif row.type != "section":
                setting, found = self._written(row, path, written)
                section.settings[row.key] = setting
                section.findings.extend(found)

    def not_a_mapping(self, path: Path, written: Any, note: str) -> Diagnostic:
        """A section that holds a single value or a list."""
        text = f"`{path[-1]}` is not a mapping but `{show(written)}`"
        return finding("section-not-a-mapping", text, self.place(path), note=note, help="write its keys below it")

    def _unknown(self, table: Table, path: Path, inside: str, unknown_keys: str) -> Diagnostic:
        name = str(path[-1])
        wanted = name if inside else table.full_key(name).rpartition(".")[2]
        near = closest(wanted, [row.name for row in table if not inside or row.key == f"{inside}.{row.name}"])
        refused = unknown_keys == "refused"
        by = "DeepSpeed raises ValidationError: extra inputs are not permitted"
        if table.name == "accelerate":
            by = "Accelerate raises ValueError: the config file had unknown keys"
        return finding(
            "unknown-key-refused" if refused else "unknown-key-ignored",
            f"unknown key `{name}`" + (f"; did you mean `{near}`?" if near else ""),
            self.place(path, key=True),
            note=by if refused else "the key is ignored",
            help=f"write `{near}`" if near else "remove it",
        )

    def _written(self, row: Row, path: Path, written: Any) -> tuple[Setting[Any], list[Diagnostic]]:
        origin = Origin(self.place(path))
        if row.removed and row.removed.reached(self.context.versions):
            text = f"`{row.name}` was removed in {row.removed.text}"
            help = f"write `{row.replaced_by}`" if row.replaced_by else "remove it"
            found = finding("removed-key", text, self.place(path, key=True), note=row.note, help=help)
            return Setting(None, None, row.key, written, origin, text), [found]
        if row.type == "dead":
            return Setting(None, None, row.key, written, origin, row.note), []
        if written is None and row.null_is_absent:
            absent = self._default(row, {})
            value = absent.value if absent else None
            return Setting(value, value, row.key, None, origin), []
        result = coerce(row, written)
        intent = result.intent
        if result.refused:
            if intent is None and (fallback := self._default(row, {})):
                intent = fallback.value
            text = f"`{row.name}: {show(written)}` is not accepted"
            help = f"write {result.wanted}" if result.wanted else ""
            found = finding("value-refused", text, origin.place or self.place(path), note=result.refused, help=help)
            return Setting(intent, intent, row.key, written, origin, result.refused), [found]
        setting = Setting(result.value, intent, row.key, written, origin)
        if setting.differs:
            note = f"`{show(written)}` is read as {show(result.value)}"
            found = finding("value-misread", f"`{row.name}`: {note}", self.place(path), help=f"write {show(intent)}")
            return replace(setting, note=note), [found]
        return setting, []

    def _default(self, row: Row, settings: Mapping[str, Setting[Any]]) -> Setting[Any] | None:
        if row.engines and self.engine not in row.engines:
            return None
        effective = {key: setting.value for key, setting in settings.items()}
        found = row.default_for(self.engine, self.context.versions, effective, by=True)
        if found is NO_DEFAULT:
            return None
        consumer, value = found
        by = {"launcher": "accelerate launch", "plugin": "Accelerate's plugin", "library": "DeepSpeed"}[consumer]
        return Setting(value, value, row.key, origin=Origin(default=f"default of {by}"))

    def _effect(
        self, table: Table, setting: Setting[Any], settings: Mapping[str, Setting[Any]]
    ) -> tuple[Setting[Any], list[Diagnostic]]:
        row = table.row(setting.key, self.engine)
        if row is None or not setting.is_written or setting.note:
            return setting, []
        effective = {key: other.value for key, other in settings.items()}
        note, instead = "", NO_DEFAULT
        if row.engines and self.engine not in row.engines:
            note = f"{self.engine} does not read it" + (f": {row.note}" if row.note else "")
        for ignored in row.ignored:
            if ignored.condition.holds(self.engine, self.context.versions, effective):
                note, instead = ignored.note, ignored.value
                break
        if not note:
            return setting, []
        fallback = self._default(row, {})
        value = instead if instead is not NO_DEFAULT else (fallback.value if fallback else None)
        if setting.written is not NOT_WRITTEN and value == setting.intent:
            return replace(setting, note=note), []
        text = f"`{row.name}: {show(setting.written)}` has no effect"
        place = setting.origin.place or Place(self.source.name)
        return replace(setting, value=value, note=note), [finding("ignored-value", text, place, note=note)]


def show(value: Any) -> str:
    """A value as YAML and JSON users write it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (tuple, list)):
        return ",".join(show(item) for item in value)
    return str(value)


def _rename(table: Table, settings: dict[str, Setting[Any]]) -> None:
    """An older or a second spelling of a key stands for the key itself, unless that is written too."""
    for row in table:
        written = settings.get(row.key)
        if written is None or row.replaced_by is None or row.removed is not None or row.type == "dead":
            continue
        target = _sibling(table, row)
        if target is not None and target.type == row.type and target.key not in settings:
            settings[target.key] = settings.pop(row.key)


def _sibling(table: Table, row: Row) -> Row | None:
    parent = row.key.rpartition(".")[0]
    names = (row.replaced_by or "", f"{parent}.{row.replaced_by}")
    return next((found[0] for name in names if (found := table.by_key.get(name))), None)
