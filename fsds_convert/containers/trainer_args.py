"""TrainingArguments as JSON or YAML, as HfArgumentParser.parse_json_file and parse_yaml_file read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from fsds_convert.containers import deepspeed_json, trainer_fsdp
from fsds_convert.containers.syntax_findings import syntax_findings
from fsds_convert.containers.trainer_files import Held, held
from fsds_convert.containers.trainer_fsdp import SECTION, TrainerReading, engine_of
from fsds_convert.diagnostics import Change, Diagnostic, Fix, finding
from fsds_convert.engines.fields import Engine
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.find import advice, refused
from fsds_convert.rules.table_advice import table_advice
from fsds_convert.settings.context import Context
from fsds_convert.settings.read_section import Reader
from fsds_convert.settings.setting import Origin, Setting
from fsds_convert.syntax.closest import closest, surely
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Path
from fsds_convert.tables.load import load_table
from fsds_convert.tables.versions import checked


def read(source: Source, context: Context) -> TrainerReading:
    """The arguments that decide sharding and precision, with the fsdp_config and the DeepSpeed JSON that they name."""
    context = replace(context, consumer="trainer", training_args=None)
    config, deepspeed = held(source, SECTION), held(source, "deepspeed")
    engine = _engine(source.data, config)
    section = Reader(source, engine, context).section(load_table("training-args"), _known(source.data))
    settings, findings = section.settings, [*syntax_findings(source), *section.findings, *_misspelt(source)]
    # what they hold stands below, key by key
    settings |= {key: settings[key].lift(None, None) for key in (SECTION, "deepspeed") if key in settings}
    if source.data.get("fsdp"):
        settings |= {"fsdp": _on(settings["fsdp"])}
        where = config if config is not None and config.data is not None else Held(source, {}, (SECTION,))
        below = trainer_fsdp.read_section(where.source, where.data or {}, where.at, context, _words(source.data, where))
        settings |= below.settings
        findings += below.findings
        findings += syntax_findings(where.source) if where.named else ()
    if source.data.get("deepspeed"):
        inside, found = _deepspeed(source, deepspeed, context)
        settings |= inside
        findings += found
    facts = Facts(
        *(source, "trainer-args", engine, settings, context),
        deepspeed_file=deepspeed.source if deepspeed is not None and deepspeed.named else None,
        deepspeed_path=source.data["deepspeed"] if deepspeed is not None and deepspeed.named else None,
        beside={SECTION: config, "deepspeed": deepspeed},
    )
    return TrainerReading(facts, (*findings, *refused(facts)))


def _engine(data: Mapping[Any, Any], config: Held | None) -> Engine:
    if data.get("fsdp"):
        return engine_of((config.data if config is not None else None) or {})
    return "deepspeed" if data.get("deepspeed") else "ddp"


def _known(data: Mapping[Any, Any]) -> dict[Any, Any]:
    known = load_table("training-args").by_key
    return {key: value for key, value in data.items() if key in known}


def _misspelt(source: Source) -> Iterator[Diagnostic]:
    """Keys that are hardly anything else than an argument misspelt; any other may belong to the script."""
    table = load_table("training-args")
    for key in source.data:
        near = closest(str(key), table.by_key) if key not in table.by_key else None
        if near is not None and near not in source.data and surely(str(key), near):
            yield finding(
                *("unknown-key-ignored", f"unknown key `{key}`; did you mean `{near}`?"),
                Reader(source, "ddp", Context()).place((key,), key=True),
                note="HfArgumentParser raises ValueError: Some keys are not used by the HfArgumentParser, unless the "
                "script has an argument of that name",
                help=f"write `{near}`",
                fix=Fix(f"write `{near}`", (Change("rename", (key,), near),), guess=True),
                checked=checked(table.rows[0].source),
            )


def _on(setting: Setting[Any]) -> Setting[Any]:
    """Whatever is written as `fsdp`, it is on."""
    return setting.lift(True, True)


def _words(data: Mapping[Any, Any], config: Held) -> dict[str, Setting[Any]]:
    """What the words of `fsdp` stand for with FSDP2, and with FSDP1 the offload alone."""
    written = data["fsdp"]
    words = written.split() if isinstance(written, str) else written if isinstance(written, list) else []
    asked = {"offload": ("cpu_offload", True)}
    if engine_of(config.data or {}) == "fsdp2":
        asked |= {"full_shard": ("reshard_after_forward", True), "shard_grad_op": ("reshard_after_forward", False)}
    given: dict[str, Setting[Any]] = {}
    for word in words:
        if isinstance(word, str) and word in asked:
            name, value = asked[word]
            key = f"{SECTION}.{name}"
            given.setdefault(key, Setting(value, value, key, origin=Origin(default=f"`fsdp: {word}`")))
    return given


def _deepspeed(
    source: Source, config: Held | None, context: Context
) -> tuple[dict[str, Setting[Any]], list[Diagnostic]]:
    """The settings of the DeepSpeed JSON, each below `deepspeed.`, and all that is found in it."""
    if config is None or config.data is None or not config.data:
        return {}, []
    reading = deepspeed_json.read(config.alone(), replace(context, training_args=source.data))
    found = (*reading.findings, *table_advice(reading.facts), *advice(reading.facts))
    settings = {f"deepspeed.{key}": setting for key, setting in reading.settings.items()}
    if config.named:
        return settings, list(found)
    return {key: _below(setting, config.at) for key, setting in settings.items()}, _all_below(found, config.at)


def _below(setting: Setting[Any], at: Path) -> Setting[Any]:
    origin = setting.origin
    return replace(setting, origin=replace(origin, path=(*at, *origin.path))) if origin.path else setting


def _all_below(found: Iterable[Diagnostic], at: Path) -> list[Diagnostic]:
    """Findings in a mapping of the file: the changes of their fixes have longer paths."""
    return [replace(each, fix=_fix_below(each.fix, at)) for each in found]


def _fix_below(fix: Fix | None, at: Path) -> Fix | None:
    if fix is None:
        return None
    return replace(fix, changes=tuple(replace(change, path=(*at, *change.path)) for change in fix.changes))
