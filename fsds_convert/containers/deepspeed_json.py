"""A DeepSpeed JSON, alone or named by an Accelerate file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsds_convert.containers.reading import Reading
from fsds_convert.containers.syntax_findings import syntax_findings
from fsds_convert.diagnostics import Diagnostic, Place, finding
from fsds_convert.engines.deepspeed import ACCUMULATION, STAGE
from fsds_convert.engines.modules import training_plan
from fsds_convert.settings.context import Context
from fsds_convert.settings.read_section import Reader, Section
from fsds_convert.settings.setting import Origin, Setting, default
from fsds_convert.syntax.source import Source
from fsds_convert.tables.load import load_table


def read_section(source: Source, data: Mapping[str, Any], context: Context) -> Section:
    """The settings of a DeepSpeed JSON as Accelerate hands it to DeepSpeed."""
    reader = Reader(source, "deepspeed", context)
    section = reader.section(load_table("deepspeed-json"), data)
    _accelerate_fills(section.settings)
    if not isinstance(data.get("zero_optimization"), Mapping):
        section.findings.append(_no_zero_section(source))
    return section


def _accelerate_fills(settings: dict[str, Setting[Any]]) -> None:
    """What DeepSpeedPlugin puts in the place of a missing key or of "auto" (accelerate/utils/dataclasses.py:1273)."""
    if not settings[ACCUMULATION].is_written:
        settings[ACCUMULATION] = default(1, "Accelerate writes 1 when the JSON has no such key", ACCUMULATION)
    stage = settings[STAGE]
    if stage.value == "auto":
        settings[STAGE] = stage.lift(2, 2, '"auto" becomes 2')


def _no_zero_section(source: Source) -> Diagnostic:
    return finding(
        "combination-refused",
        "the JSON has no `zero_optimization` section",
        Place(source.name),
        note="Accelerate raises ValueError: Please specify the ZeRO optimization config in the DeepSpeed config",
        help='write "zero_optimization": {"stage": 0} for plain data parallelism',
    )


def read(source: Source, context: Context) -> Reading:
    """A DeepSpeed JSON by itself: the launch settings come from the command line."""
    section = read_section(source, source.data, context)
    settings = {**section.settings, **_launch_options(context)}
    plan = training_plan("deepspeed", settings, context)
    findings = (*syntax_findings(source), *section.findings)
    return Reading(source, "deepspeed-json", "deepspeed", settings, plan, findings)


_LAUNCH = ("num_processes", "num_machines", "machine_rank", "main_process_ip", "main_process_port")


def _launch_options(context: Context) -> dict[str, Setting[Any]]:
    given = {name: getattr(context, name) for name in _LAUNCH}
    return {
        name: Setting(value, value, name, origin=Origin(default=f"--{name.replace('_', '-')}"))
        for name, value in given.items()
        if value is not None
    }
