"""One section of a file -> its effective settings, by the rows of its table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fsds_convert.diagnostics import Diagnostic, Fix, Place, finding
from fsds_convert.settings import auto, fixes
from fsds_convert.settings.coerce import coerce
from fsds_convert.settings.context import Context
from fsds_convert.settings.defaults import default_of, fill
from fsds_convert.settings.home import home
from fsds_convert.settings.renamed import rename, replacement, respelled
from fsds_convert.settings.setting import Origin, Setting, Settings
from fsds_convert.settings.show import show
from fsds_convert.syntax.closest import closest, likeness
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Path
from fsds_convert.tables.row import NO_DEFAULT, Ignored, Row
from fsds_convert.tables.table import Table
from fsds_convert.tables.versions import checked

_IGNORED = "Accelerate ignores it, and the defaults run"


_AT_THE_TOP = 0.75


@dataclass(frozen=True)
class Section:
    """Settings by key, and what was found while reading them. `unknown` are the keys that no table knows."""

    settings: dict[str, Setting[Any]]
    findings: list[Diagnostic] = field(default_factory=list)
    unknown: list[Path] = field(default_factory=list)

    def take_back(self, setting: Setting[Any]) -> None:
        """Drops what was found about a value that nobody parses."""
        said = ("value-refused", "value-misread")
        self.findings[:] = [f for f in self.findings if f.name not in said or f.place != setting.origin.place]


@dataclass(frozen=True)
class Reader:
    """What reading a section needs to know about its surroundings."""

    source: Source
    engine: str
    context: Context

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Where a value, or its key, stands."""
        return Place(self.source.name, self.source.span(path, key=key))

    def section(self, table: Table, data: Mapping[Any, Any], at: Path = (), given: Settings | None = None) -> Section:
        """Reads every written key, then fills in the defaults, then drops what has no effect.

        `given` are settings of the same table that were read elsewhere.
        """
        section = Section(dict(given or {}))
        settings = section.settings
        self._read(table, data, at, None, section)
        rename(table, settings, self.engine, self.context.versions)
        written = [key for key, setting in settings.items() if setting.is_written]
        fill(table, settings, self.engine, self.context.versions, self.context.consumer)
        for key in written:
            settings[key] = self._null(table.row(key, self.engine), settings[key], settings)
        for key in written:
            settings[key], found = self._effect(table.row(key, self.engine), settings[key], section)
            section.findings.extend(found)
        return section

    def not_a_mapping(self, path: Path, written: Any, note: str) -> Diagnostic:
        """A section that holds a single value or a list."""
        text = f"`{path[-1]}` is not a mapping but `{show(written)}`"
        return finding("section-not-a-mapping", text, self.place(path), note=note, help="write its keys below it")

    def _read(self, table: Table, data: Mapping[Any, Any], at: Path, parent: Row | None, section: Section) -> None:
        for name, written in data.items():
            path = (*at, name)
            row = table.row(f"{parent.key}.{name}" if parent else table.full_key(str(name)), self.engine)
            if row is None:
                if parent is None or parent.type == "section":
                    section.unknown.append(path)
                    section.findings.append(self._unknown(table, path, parent, data))
                continue
            nested = row.type in ("section", "mapping") and table.has_keys_below(row)
            if nested and isinstance(written, Mapping):
                self._read(table, written, path, row, section)
            elif nested and row.type == "section" and not (written is None and row.null_is_absent):
                note = _IGNORED if table.name == "accelerate" else row.note
                section.findings.append(self.not_a_mapping(path, written, note))
            if row.type != "section":
                # Accelerate and DeepSpeed refuse the names that they have removed, but inside a section nobody looks
                refuses = table.name != "fsdp" and (parent is None or parent.unknown_keys == "refused")
                setting, found = self._written(table, row, path, data, refuses=refuses)
                if nested and isinstance(written, Mapping):
                    kept = {name: value for name, value in written.items() if not self._refuses(table, row, name)}
                    setting = replace(setting, intent={**kept, **_repaired(section.settings, row, kept)})
                section.settings[row.key] = setting
                section.findings.extend(found)

    def _refuses(self, table: Table, parent: Row, name: Any) -> bool:
        inside = table.row(f"{parent.key}.{name}", self.engine)
        return inside is not None and inside.type == "refused"

    def _unknown(self, table: Table, path: Path, parent: Row | None, data: Mapping[Any, Any]) -> Diagnostic:
        name = str(path[-1])
        inside = f"{parent.key}." if parent else ""
        wanted = name if inside else table.full_key(name).rpartition(".")[2]
        above = inside or (f"{table.section}." if table.section else "")
        names = [row.name for row in table if row.key == above + row.name]
        # parallelism_config is the one section whose keys need its name in front
        prefixed = f"{table.section}_{wanted}"
        near = prefixed if prefixed in names else closest(wanted, names)
        refused = (parent.unknown_keys if parent else table.unknown_keys) == "refused"
        by = "DeepSpeed raises ValidationError: extra inputs are not permitted"
        if not refused and auto.trips_over(table, data[path[-1]], self.context):
            refused = True
            by = f"Accelerate raises ValueError: `{'.'.join(map(str, path))}` not found in kwargs: nobody fills it in"
        if table.name == "accelerate":
            by = "Accelerate raises ValueError: the config file had unknown keys"
        stranger = parent is not None and table.row(f"{parent.confused_with}.{name}", self.engine) is not None
        # at the top stand keys of many tools, and a far likeness is chance
        if stranger or (not above and near is not None and likeness(wanted, near) < _AT_THE_TOP):
            near = None
        belongs = home(table, name) if not inside else None
        there = f"in `{belongs}`" if belongs else "at the top of the file"
        meant = f"; it belongs {there}" if belongs is not None else f"; did you mean `{near}`?" if near else ""
        if parent is not None and stranger:
            meant = f": it is one of `{parent.confused_with}`"
        help = f"write it {there}" if belongs is not None else f"write `{near}`" if near else "remove it"
        fix = fixes.renamed(path, near, data) or fixes.removed(path, guess=not stranger)
        if belongs is not None:
            fix = fixes.moved(path, belongs, data[path[-1]], self.source.data) or fix
        return finding(
            "unknown-key-refused" if refused else "unknown-key-ignored",
            f"unknown key `{name}`{meant}",
            self.place(path, key=True),
            note=by if refused else "the key is ignored" + self._instead(table, inside, near),
            help=help,
            fix=fix,
            checked=checked(table.rows[0].source),
        )

    def _instead(self, table: Table, inside: str, near: str | None) -> str:
        """What runs in the place of a misspelt key."""
        key = f"{inside}{near}" if inside or not table.section else f"{table.section}.{near}"
        row = table.row(key, self.engine) if near else None
        filled = self._default(row, {}) if row is not None else None
        return f", and {near}: {show(filled.value)} runs unless it is written too" if filled is not None else ""

    def _written(
        self, table: Table, row: Row, path: Path, data: Mapping[Any, Any], *, refuses: bool
    ) -> tuple[Setting[Any], list[Diagnostic]]:
        written = data[path[-1]]
        origin = Origin(self.place(path), path=path)
        if written == "auto" and auto.drops(row, table.row(row.key.rpartition(".")[0], self.engine), self.context):
            return auto.dropped(row, path, self.place(path), self._default(row, {}))
        unfilled = written == "auto" and not auto.fills(row, self.context)
        if row.removed and row.removed.reached(self.context.versions):
            kind = "removed-key-refused" if refuses else "removed-key-ignored"
            intent = coerce(row, written).intent if row.replaced_by else None
            text = f"`{row.name}` was removed in {row.removed.text}"
            return self._not_taken(kind, text, table, row, path, data, intent)
        if row.replaced_by and row.never_read and self._by_it(row.never_read) and not unfilled:
            text, intent = f"`{row.name}: {show(written)}` has no effect", coerce(row, written).intent
            return self._not_taken("ignored-value", text, table, row, path, data, intent, row.never_read.note)
        if row.type == "dead" and not unfilled:
            return Setting(None, None, row.key, written, origin, row.note), []
        if row.type == "refused" and not (written is None and row.null_is_absent):
            text, intent = f"`{row.name}` is no key of this file", written if row.replaced_by else None
            return self._not_taken("unknown-key-refused", text, table, row, path, data, intent)
        if written is None and row.null_is_absent:
            return Setting(None, None, row.key, None, origin), []
        result = coerce(row, written)
        if unfilled:
            text = f"`{row.name}: auto` " + ("works only under the Trainer" if row.auto else "is filled in by nobody")
            error = f"ValueError: `{row.key}` not found in kwargs. Please specify `{row.key}` without `auto`"
            if self.context.consumer == "deepspeed":
                text = f"`{row.name}: auto` is filled in by nobody"
                error = "TypeError: DeepSpeed reads the text as it stands; only Accelerate and the Trainer fill in auto"
            meant = filled.value if (filled := self._default(row, {})) else None
            fix = fixes.written_as(path, row, meant, guess=bool(row.auto))
            fix = fix or fixes.removed(path, guess=True)
            found = self._value_refused(row, text, path, error, "write a value", fix)
            return Setting(meant, meant, row.key, written, origin, text), [found]
        intent = result.intent
        if result.refused:
            fix = fixes.written_as(path, row, intent, guess=result.guess)
            if (written is None and row.defaults) or (written == "" and row.null_is_absent):
                fix = fixes.removed(path)
            doubtful = result.guess or (intent is None and written is not None)
            if intent is None and (fallback := self._default(row, {})):
                intent = fallback.value
            text = f"`{row.name}: {self.source.number_or_boolean(path) or show(written)}` is not accepted"
            help = f"write {result.wanted}" if result.wanted else ""
            found = self._value_refused(row, text, path, result.refused, help, fix)
            return Setting(intent, intent, row.key, written, origin, result.refused, doubtful=doubtful), [found]
        setting = Setting(result.value, intent, row.key, written, origin)
        if setting.differs:
            note = f"`{self.source.number_or_boolean(path) or show(written)}` is read as {show(result.value)}"
            text, help, fix = f"`{row.name}`: {note}", f"write {show(intent)}", fixes.written_as(path, row, intent)
            found = finding("value-misread", text, origin.place or Place(""), "", help, fix, checked(row.source))
            return replace(setting, note=note), [found]
        return setting, []

    def _value_refused(self, row: Row, text: str, path: Path, error: str, help: str, fix: Fix | None) -> Diagnostic:
        return finding("value-refused", text, self.place(path), error, help, fix, checked(row.source))

    def _not_taken(
        self,
        kind: str,
        text: str,
        table: Table,
        row: Row,
        path: Path,
        data: Mapping[Any, Any],
        intent: Any,
        note: str = "",
    ) -> tuple[Setting[Any], list[Diagnostic]]:
        """A key whose value nobody takes: it says at most what was meant."""
        written, place = data[path[-1]], self.place(path, key=not note)
        help = f"write `{row.replaced_by}`" if row.replaced_by else "remove it"
        fix: Fix | None = fixes.removed(path, guess=row.type == "refused")
        if row.replaced_by:
            target = replacement(table, row)
            value = respelled(row, target, intent) if target is not None else None
            name = (row.replaced_by or "").rpartition(".")[2] if target is None else target.name
            fix = fixes.replaced(path, row, target, value, taken=name in data) or fix
        found = finding(kind, text, place, note or row.note, help, fix, checked(row.source))
        return Setting(None, intent, row.key, written, Origin(self.place(path), path=path), note or text), [found]

    def _by_it(self, ignored: Ignored) -> bool:
        """Whether it is so for the one who reads the file."""
        return self.context.consumer != "deepspeed" or not ignored.by_accelerate

    def _default(self, row: Row, settings: Settings) -> Setting[Any] | None:
        return default_of(row, self.engine, self.context.versions, self.context.consumer, settings)

    def _null(self, row: Row | None, setting: Setting[Any], settings: Settings) -> Setting[Any]:
        """A null that stands for no key at all gets the key's default."""
        if row is None or setting.written is not None or not row.null_is_absent:
            return setting
        filled = self._default(row, settings)
        return setting if filled is None else setting.lift(filled.value, filled.intent)

    def _effect(
        self, row: Row | None, setting: Setting[Any], section: Section
    ) -> tuple[Setting[Any], list[Diagnostic]]:
        acts = row is None or not row.engines or self.engine in row.engines
        if row is None or (acts and not row.ignored):
            return setting, []
        effective = {key: other.value for key, other in section.settings.items()}
        note, instead, meant = "", NO_DEFAULT, False
        if not acts:
            note = f"{self.engine} does not read it" + (f": {row.note}" if row.note else "")
        versions = self.context.versions
        holding = (i for i in row.ignored if self._by_it(i) and i.condition.holds(self.engine, versions, effective))
        ignored = next(holding, None)
        if ignored is not None:
            note, instead, meant = ignored.note, ignored.value, ignored.meant
        wrong = bool(setting.note)
        if not note or (wrong and not (ignored and ignored.unread)):
            return setting, []
        if wrong:
            section.take_back(setting)
        fallback = self._default(row, {})
        value = instead if instead is not NO_DEFAULT else (fallback.value if fallback else None)
        if value == setting.intent and not wrong:
            return replace(setting, note=note), []
        if ignored is not None and ignored.quiet:
            return replace(setting, value=value, note=note, idle=not meant), []
        text = f"`{row.name}: {show(setting.written)}` has no effect"
        place, path = setting.origin.place or Place(self.source.name), setting.origin.path
        fix = fixes.removed(path, guess=meant) if path else None
        found = finding("ignored-value", text, place, note, "remove it" if not meant else "", fix, checked(row.source))
        return replace(setting, value=value, note=note, idle=not meant), [found]


def _repaired(settings: Settings, parent: Row, kept: Mapping[Any, Any]) -> dict[str, Any]:
    """What was meant by the values inside a mapping that upstream refuses."""
    inside = {key.rpartition(".")[2]: s for key, s in settings.items() if key.rpartition(".")[0] == parent.key}
    meant = {name: setting.intent for name, setting in inside.items() if setting.note and name in kept}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in meant.items()}
