"""A DeepSpeed JSON, alone or named by an Accelerate file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from fsds_convert.containers.reading import Reading
from fsds_convert.containers.syntax_findings import syntax_findings
from fsds_convert.engines import deepspeed_precision as precision
from fsds_convert.engines.deepspeed import ACCUMULATION, STAGE
from fsds_convert.engines.modules import training_plan
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.find import refused
from fsds_convert.settings.context import Context
from fsds_convert.settings.read_section import Reader, Section
from fsds_convert.settings.setting import Origin, Setting, Settings, default
from fsds_convert.settings.show import show
from fsds_convert.syntax.source import Source
from fsds_convert.tables.load import load_table


def read_section(source: Source, data: Mapping[str, Any], context: Context, given: Settings | None = None) -> Section:
    """The settings of a DeepSpeed JSON as Accelerate hands it to DeepSpeed; `given` are those of an inline section."""
    reader = Reader(source, "deepspeed", context)
    section = reader.section(load_table("deepspeed-json"), data, given=given)
    if context.consumer != "deepspeed":
        _accelerate_fills(section.settings, inline=given is not None)
    return section


def _accelerate_fills(settings: dict[str, Setting[Any]], *, inline: bool) -> None:
    """What DeepSpeedPlugin puts in the place of a missing key or of "auto" (accelerate/utils/dataclasses.py:1273)."""
    if not inline and not settings[ACCUMULATION].is_written:
        settings[ACCUMULATION] = default(1, "Accelerate writes 1 when the JSON has no such key", ACCUMULATION)
    optimizer = settings.get("optimizer.type")
    untested = settings[_UNTESTED]
    if (optimizer is None or not optimizer.is_written) and not untested.is_written:
        settings[_UNTESTED] = default(True, "Accelerate sets it for an optimizer of the script", _UNTESTED)
    for key, value in _AUTO.items():
        if key in settings and settings[key].value == "auto":
            settings[key] = settings[key].lift(value, value, f'"auto" becomes {show(value)}')


def read(source: Source, context: Context) -> Reading:
    """A DeepSpeed JSON by itself: the launch settings come from the command line."""
    section = read_section(source, source.data, context)
    settings = {**section.settings, **launch_options(context)}
    settings |= precision.sections(settings, context)
    plan = partial(training_plan, "deepspeed", settings, context)
    facts = Facts(source, "deepspeed-json", "deepspeed", settings, context, plan)
    syntax = syntax_findings(source)
    if context.consumer == "deepspeed":  # hjson takes comments and commas
        syntax = tuple(found for found in syntax if found.name != "comment-in-json")
    found = (*syntax, *section.findings)
    return Reading(source, "deepspeed-json", "deepspeed", settings, (*found, *refused(facts)), facts)


# what the launcher exports without inline keys (accelerate/utils/dataclasses.py:1280)
_AUTO: dict[str, Any] = {
    STAGE: 2,
    "zero_optimization.offload_optimizer.device": "none",
    "zero_optimization.offload_param.device": "none",
    "zero_optimization.offload_optimizer.nvme_path": None,
    "zero_optimization.offload_param.nvme_path": None,
    "zero_optimization.stage3_gather_16bit_weights_on_model_save": False,
}
_UNTESTED = "zero_allow_untested_optimizer"
_LAUNCH = ("num_processes", "num_machines", "machine_rank", "main_process_ip", "main_process_port")


def launch_options(context: Context) -> dict[str, Setting[Any]]:
    """The launch settings that were given as options."""
    given = {name: getattr(context, name) for name in _LAUNCH}
    return {
        name: Setting(value, value, name, origin=Origin(default=f"--{name.replace('_', '-')}"))
        for name, value in given.items()
        if value is not None
    }
