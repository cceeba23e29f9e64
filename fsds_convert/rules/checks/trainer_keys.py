"""Keys of Accelerate files in the Trainer's fsdp_config, which the Trainer does not read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fsds_convert.diagnostics import Change
from fsds_convert.rules.checks.arguments import arguments
from fsds_convert.rules.checks.trainer import STRATEGIES
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match
from fsds_convert.settings.setting import Setting
from fsds_convert.settings.show import show

_IN = "fsdp_config"
_TRUE = ("y", "yes", "t", "true", "on", "1")


def key_not_read(facts: Facts) -> Iterator[Match]:
    """Each key that asks for something else than runs."""
    for name, asks in _ASKS.items():
        setting = facts.setting(f"{_IN}.{name}")
        if setting is None or not setting.is_written or setting.origin.place is None:
            continue
        inside = setting.origin.place.name == facts.source.name
        place = facts.place(setting.origin.path, key=True) if inside else setting.origin.place
        for words, changes in asks(facts, setting):
            yield Match({"key": name, "written": show(setting.written), **words}, place, changes)


_Asked = Iterator[tuple[dict[str, str], tuple[Change, ...]]]


def _offload(facts: Facts, setting: Setting[Any]) -> _Asked:
    if _truth(setting.written) and not facts.runs(f"{_IN}.cpu_offload"):
        words = {"runs": "parameters and optimizer states stay on the device", "remedy": "write `cpu_offload: true`"}
        yield words, _instead(facts, setting, "cpu_offload", True)


def _strategy(facts: Facts, setting: Setting[Any]) -> _Asked:
    asked = _strategy_named(setting.written)
    if asked is None:
        return
    if facts.engine == "fsdp1":
        if asked != "full_shard":
            remedy = f"export FSDP_SHARDING_STRATEGY={asked.upper()} where the job starts"
            yield {"runs": "FULL_SHARD runs", "remedy": remedy}, ()
        return
    reshard = facts.runs(f"{_IN}.reshard_after_forward")
    runs = f"{'FULL_SHARD' if reshard else 'SHARD_GRAD_OP'} runs (reshard_after_forward: {show(reshard)})"
    if asked in ("full_shard", "shard_grad_op"):
        wanted = asked == "full_shard"
        if reshard is not wanted:
            words = {"runs": runs, "remedy": f"write `reshard_after_forward: {show(wanted)}`"}
            yield words, _instead(facts, setting, "reshard_after_forward", wanted)
    elif asked == "no_shard":
        yield {"runs": runs, "remedy": "leave `fsdp` out: that is plain data parallelism"}, ()
    else:
        remedy = "give the Trainer a parallelism_config with dp_replicate_size in Python"
        yield {"runs": runs, "remedy": remedy}, ()


def _ignored(facts: Facts, setting: Setting[Any]) -> _Asked:
    if setting.written:
        remedy = "export FSDP_IGNORED_MODULES where the job starts"
        yield {"runs": "all modules are sharded", "remedy": remedy}, ()


def _activations(facts: Facts, setting: Setting[Any]) -> _Asked:
    if _truth(setting.written):
        remedy = "export FSDP_ACTIVATION_CHECKPOINTING_OFFLOAD=true where the job starts"
        yield {"runs": "activations stay on the device", "remedy": remedy}, ()


def _precision(facts: Facts, setting: Setting[Any]) -> _Asked:
    args, asked = arguments(facts), setting.written
    if args is None or asked not in ("bf16", "fp16") or args.on("bf16") or args.on("fp16"):
        return
    changes = (Change("set", (asked,), True), Change("remove", setting.origin.path))
    yield (
        {"runs": "training runs without mixed precision", "remedy": f"write `{asked}: true` beside fsdp_config"},
        changes,
    )


_ASKS: dict[str, Callable[[Facts, Setting[Any]], _Asked]] = {
    "offload_params": _offload,
    "sharding_strategy": _strategy,
    "ignored_modules": _ignored,
    "activation_checkpointing_offload": _activations,
    "mixed_precision": _precision,
}


def _instead(facts: Facts, setting: Setting[Any], name: str, value: Any) -> tuple[Change, ...]:
    """The key that is read, in the place of the one that is not."""
    path, read = setting.origin.path, facts.setting(f"{_IN}.{name}")
    if read is not None and read.is_written:
        return (Change("set", read.origin.path, value), Change("remove", path))
    return (Change("set", path, value), Change("rename", path, name))


def _truth(written: Any) -> bool:
    return written.lower() in _TRUE if isinstance(written, str) else bool(written)


def _strategy_named(written: Any) -> str | None:
    text = str(written).lower()
    if text.isdigit() and 0 < int(text) <= len(STRATEGIES):
        return STRATEGIES[int(text) - 1]
    return text if text in STRATEGIES else None


CHECKS: dict[str, Check] = {"key_not_read": key_not_read}
