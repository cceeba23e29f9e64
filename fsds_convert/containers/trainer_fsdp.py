"""The fsdp_config of Transformers' TrainingArguments: a JSON file, or a mapping among the arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fsds_convert.containers.syntax_findings import syntax_findings
from fsds_convert.diagnostics import Diagnostic
from fsds_convert.engines.fields import Engine
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.find import refused
from fsds_convert.settings.coerce import coerce
from fsds_convert.settings.context import Context
from fsds_convert.settings.read_section import Reader, Section
from fsds_convert.settings.setting import Settings
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Path
from fsds_convert.tables.load import load_table

SECTION = "fsdp_config"


@dataclass(frozen=True)
class TrainerReading:
    """A file of the Trainer as it reads it; it decides no plan, since the script has the last word."""

    facts: Facts
    findings: tuple[Diagnostic, ...]


def read(source: Source, context: Context) -> TrainerReading:
    """An fsdp_config by itself, as if `fsdp` were set."""
    context = replace(context, consumer="trainer")
    engine = engine_of(source.data)
    section = read_section(source, source.data, (), context)
    facts = Facts(source, "trainer-fsdp", engine, section.settings, context)
    return TrainerReading(facts, (*syntax_findings(source), *section.findings, *refused(facts)))


def engine_of(data: Mapping[Any, Any]) -> Engine:
    """FSDP2, unless the version says otherwise."""
    row = load_table("trainer-fsdp").by_key[f"{SECTION}.version"][0]
    version = data.get("fsdp_version", data.get("version", 2))
    return "fsdp1" if coerce(row, version).intent == 1 else "fsdp2"


def read_section(
    source: Source, data: Mapping[Any, Any], at: Path, context: Context, given: Settings | None = None
) -> Section:
    """The settings of an fsdp_config at a path; `given` are those that words of `fsdp` stand for."""
    reader = Reader(source, engine_of(data), context)
    return reader.section(load_table("trainer-fsdp"), _read(data), at, given)


def _read(data: Mapping[Any, Any]) -> dict[Any, Any]:
    """The keys that are read: a key with the prefix wins over one without, and XLA reads few of the others."""
    names = sorted(data, key=lambda name: str(name).startswith("fsdp_"))
    shown = {name: data[name] for name in names if not str(name).startswith("_")}
    xla = data.get("fsdp_xla", data.get("xla"))
    return {name: value for name, value in shown.items() if not xla or str(name).removeprefix("fsdp_") in _WITH_XLA}


_WITH_XLA = (
    *("xla", "xla_fsdp_v2", "xla_fsdp_settings", "xla_fsdp_grad_ckpt"),
    *("min_num_params", "transformer_layer_cls_to_wrap"),
)
