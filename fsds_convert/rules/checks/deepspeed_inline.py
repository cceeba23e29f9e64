"""Checks of `deepspeed_config` inline in an Accelerate file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fsds_convert.diagnostics import Change
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match
from fsds_convert.tables.load import load_table

_SECTION = "deepspeed_config"
_STAGE = "zero_optimization.stage"
_PRECISIONS = ("bf16", "fp16")


def _written(facts: Facts) -> Mapping[Any, Any]:
    section = facts.source.data.get(_SECTION)
    return section if isinstance(section, Mapping) else {}


def inline(facts: Facts) -> Iterator[Match]:
    """DeepSpeed is set up by the inline keys: there are some, and no JSON is named."""
    if facts.deepspeed_path is None and _written(facts):
        yield Match()


def of_the_json(facts: Facts) -> Iterator[Match]:
    """DeepSpeed is set up by a JSON, this one or one that was found."""
    if facts.container == "deepspeed-json" or facts.deepspeed_file is not None:
        yield Match()


def nvme_inline(facts: Facts) -> Iterator[Match]:
    """NVMe at stage 3, where DeepSpeed swaps to the path that nobody gave it; one finding for each device."""
    if facts.deepspeed_path is not None or facts.runs(_STAGE) != 3:
        return
    for what in ("optimizer", "param"):
        key = f"zero_optimization.offload_{what}.device"
        if facts.runs(key) == "nvme" and facts.written(key):
            path = (_SECTION, f"offload_{what}_nvme_path")
            at = path if path[-1] in _written(facts) else (_SECTION, f"offload_{what}_device")
            yield Match({"what": what, "json": f"zero_optimization.offload_{what}.nvme_path"}, facts.place(at))


def clipping_zero(facts: Facts) -> Iterator[Match]:
    """0, which the plugin takes for no value at all."""
    setting = facts.setting("gradient_clipping")
    if facts.deepspeed_path is None and setting is not None and setting.is_written and setting.intent == 0:
        yield Match()


def json_key_inline(facts: Facts) -> Iterator[Match]:
    """A key that only the JSON has, written inline."""
    known = load_table("deepspeed-inline")
    for name, value in _written(facts).items():
        full = None if known.row(f"{_SECTION}.{name}", "deepspeed") else _json_key(str(name))
        if full is not None:
            instead = next((row.name for row in known if row.json == full), None)
            path = (_SECTION, name)
            changes: tuple[Change, ...] = ()
            if instead and instead not in _written(facts) and not isinstance(value, (Mapping, list)):
                changes = (Change("rename", path, instead),)
            help = f"write `{full}` in the JSON of a `deepspeed_config_file`"
            if instead or full in _PRECISIONS:
                help = f"write `{instead}`" if instead else f"write `mixed_precision: {full}` at the top, or a JSON"
            yield Match({"key": name, "json": full, "help": help}, facts.place(path, key=True), changes)


def _json_key(name: str) -> str | None:
    """Its key in the JSON: at the top, else below `zero_optimization`."""
    rows = [row for row in load_table("deepspeed-json") if row.type != "refused" and not row.replaced_by]
    keys = [row.key for row in rows]
    return next((key for key in (name, f"zero_optimization.{name}") if key in keys), None)


def machines_without_hostfile(facts: Facts) -> Iterator[Match]:
    """Several machines, and nothing that tells DeepSpeed's launcher of the others."""
    launcher = _launcher(facts)
    if _several(facts) and launcher not in (None, "standard") and not facts.runs(f"{_SECTION}.deepspeed_hostfile"):
        processes, machines = facts.runs("num_processes"), facts.runs("num_machines")
        each = processes // machines if type(processes) is int else "its own"
        yield Match({"launcher": launcher, "machines": machines, "each": each})


def launched_by_deepspeed(facts: Facts) -> Iterator[Match]:
    """Several machines that DeepSpeed's launcher starts."""
    launcher = _launcher(facts)
    if _several(facts) and launcher not in (None, "standard"):
        yield Match({"launcher": launcher})


def launcher_key_not_read(facts: Facts) -> Iterator[Match]:
    """What only DeepSpeed's launcher reads, where torchrun starts the job."""
    if _several(facts) and _launcher(facts) != "standard":
        return
    why = "`deepspeed_multinode_launcher: standard`" if _several(facts) else "one machine"
    for name in ("deepspeed_hostfile", "deepspeed_inclusion_filter", "deepspeed_exclusion_filter"):
        if _written(facts).get(name) is not None:
            path = (_SECTION, name)
            yield Match({"key": name, "why": why}, facts.place(path, key=True), (Change("remove", path),))


def _launcher(facts: Facts) -> str | None:
    """None for a word that none of the launchers has: Accelerate compares exactly, and the word's own rule speaks."""
    setting = facts.setting(f"{_SECTION}.deepspeed_multinode_launcher")
    if setting is not None and setting.note:
        return None
    return (setting.value if setting is not None else None) or "pdsh"


def _several(facts: Facts) -> bool:
    machines = facts.runs("num_machines")
    return isinstance(machines, int) and machines > 1


def decoder_layer_as_leaf(facts: Facts) -> Iterator[Match]:
    """A whole decoder layer where the block of experts is meant."""
    names = facts.runs(f"{_SECTION}.deepspeed_moe_layer_cls_names") or ()
    for name in names:
        if name.endswith("DecoderLayer"):
            yield Match({"name": name})


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        *(inline, of_the_json, nvme_inline, clipping_zero, json_key_inline, machines_without_hostfile),
        *(launched_by_deepspeed, launcher_key_not_read, decoder_layer_as_leaf),
    )
}
