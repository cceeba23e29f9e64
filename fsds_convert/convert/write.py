"""The text of the converted Accelerate file: an edit of the source where it is one, else a new file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fsds_convert.containers.accelerate_text import Changes, edited
from fsds_convert.containers.new_text import accelerate_yaml, json_text
from fsds_convert.containers.reading import Reading
from fsds_convert.containers.yaml_lines import entries
from fsds_convert.convert.compose import Composed
from fsds_convert.diagnostics import Severity
from fsds_convert.engines.fields import Engine
from fsds_convert.engines.modules import tables_of
from fsds_convert.settings.setting import same
from fsds_convert.syntax.source import load
from fsds_convert.tables.load import load_table
from fsds_convert.tables.versions import Versions

_SECTION = {"fsdp1": "fsdp_config", "fsdp2": "fsdp_config", "deepspeed": "deepspeed_config", "ddp": ""}
_SHARED = ("dynamo_config", "fp8_config", "mpirun_config")
_FILE = "deepspeed_config_file"


@dataclass(frozen=True)
class Written:
    """A text; `comments_lost` where the source's shape (a flow mapping, a merge key) allowed no edit in place."""

    text: str
    comments_lost: bool = False


def main_text(
    reading: Reading,
    engine: Engine,
    composed: Composed,
    json_name: str,
    exact: frozenset[str],
    *,
    changed: bool = False,
) -> Written:
    """The Accelerate file. `exact` are the plan fields whose comments go with them to another key.

    Without another engine or spelling it is the source's text, unless the plan was `changed` on purpose.
    """
    sections = {name: dict(section) for name, section in composed.accelerate.sections.items()}
    if _FILE in sections.get("deepspeed_config", {}):
        sections["deepspeed_config"][_FILE] = json_name
    if reading.container == "deepspeed-json":
        return Written(accelerate_yaml(_new_file(composed.accelerate.top, sections)))
    if reading.engine == engine and not changed and not _spelling_changes(reading, composed):
        return Written(reading.source.text)
    if reading.engine == engine and composed.json is None and not _spelling_changes(reading, composed):
        mode = composed.accelerate.top.get("mixed_precision", "no")
        changes = Changes(top={"mixed_precision": mode})  # another mode of precision is all that was asked for
    else:
        changes = _changes(reading, engine, composed, sections, exact)
    expected = changes.data(reading.source.data)
    tabs = any(problem.kind == "tab" for problem in reading.source.problems)  # Accelerate's parser stops at them
    text = None if tabs else edited(reading.source, changes)
    if text is not None and load(text.encode(), "converted.yaml").data == expected:
        return Written(text)
    if reading.source.format == "json":
        return Written(json_text(expected, reading.source.text))
    return Written(accelerate_yaml(expected), comments_lost="#" in reading.source.text)


def _spelling_changes(reading: Reading, composed: Composed) -> bool:
    """Whether DeepSpeed settings move between the inline form and a JSON."""
    return reading.engine == "deepspeed" and (composed.json is not None) != (reading.deepspeed_path is not None)


def _new_file(top: Mapping[str, Any], sections: Mapping[str, Any]) -> dict[str, Any]:
    """Keys in the order of the table, as `accelerate config` writes them."""
    given = {"compute_environment": "LOCAL_MACHINE", **top, **sections}
    order = [row.key for row in load_table("accelerate")]
    kept = {key: value for key, value in given.items() if value is not None}
    return dict(sorted(kept.items(), key=lambda item: order.index(item[0])))


def _changes(
    reading: Reading,
    engine: Engine,
    composed: Composed,
    sections: Mapping[str, Mapping[str, Any]],
    exact: frozenset[str],
) -> Changes:
    data = reading.source.data
    section = _SECTION[engine]
    sections = {name: keys for name, keys in sections.items() if name not in _SHARED or _broken(reading, name)}
    gone = {"fsdp_config", "deepspeed_config", "parallelism_config"} - {section} - set(sections)
    gone |= {"dynamo_config"} - set(composed.accelerate.sections)
    gone |= {"mpirun_config"} if _broken(reading, "mpirun_config") else set()
    gone |= _not_accepted(reading)
    top = _top(reading, engine, composed.accelerate.top)
    if "mixed_precision" not in composed.accelerate.top and data.get("mixed_precision") is not None:
        gone.add("mixed_precision")
    written = dict(sections)
    if section and section not in written:
        written[section] = {}
    return Changes(
        top={key: value for key, value in top.items() if key not in gone},
        sections={name: value for name, value in written.items() if name not in gone},
        removed=frozenset(gone & {str(key) for key in data}),
        successors=_successors(reading.engine, engine, composed, exact),
        translated=section,
    )


def _broken(reading: Reading, section: str) -> bool:
    """Whether a section that both engines read has a value that stops the launch, or a key that no table knows."""
    entry = next((entry for entry in entries(reading.source) if entry.name == section), None)
    return entry is None or any(
        (found.severity is Severity.ERROR or found.name == "unknown-key-ignored")
        and found.place.span
        and entry.first < found.place.span.line <= entry.last
        for found in reading.findings
    )


def _not_accepted(reading: Reading) -> set[str]:
    """Top-level keys that Accelerate refuses to load: they would stop the converted file too."""
    table = load_table("accelerate")
    refused = {str(key) for key in reading.source.data if str(key) not in table.by_key}
    return refused | {
        str(key)
        for key in reading.source.data
        for row in table.by_key.get(str(key), ())
        if row.removed is not None or row.type == "refused"
    }


def _top(reading: Reading, engine: Engine, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The top-level keys whose value is not what the source has already, or what the target takes without them."""
    refused = {finding.place for finding in reading.findings if finding.name == "value-refused"}
    table, changed = load_table("accelerate"), {}
    for key, value in wanted.items():
        setting, row = reading.settings.get(key), table.row(key, engine)
        if setting is not None and setting.is_written:
            stays = same(setting.intent, value) and setting.origin.place not in refused
        else:
            defaults = {"distributed_type": wanted.get("distributed_type")}
            stays = row is not None and same(row.default_for(engine, Versions(), defaults), value)
        if not stays:
            changed[key] = value
    return changed


def _successors(source: Engine, target: Engine, composed: Composed, exact: frozenset[str]) -> dict[str, str]:
    """Old key -> the key that carries the same plan field, for the comments beside it."""
    found: dict[str, str] = {}
    written = {name for section in composed.accelerate.sections.values() for name in section}
    for table in tables_of(source):
        for row in table:
            if row.name in written:
                found.setdefault(row.name.removeprefix(table.prefix), row.name)
            if row.field not in exact:
                continue
            for other in tables_of(target):
                heir = other.for_field(row.field, target)
                if heir is not None and heir.name in written:
                    for name in (row.name, row.name.removeprefix(table.prefix)):
                        found.setdefault(name, heir.name)
                    break
    return found
