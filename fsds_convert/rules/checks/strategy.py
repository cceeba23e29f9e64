"""A sharding strategy under the key of the other FSDP version."""

from __future__ import annotations

from collections.abc import Iterator

from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match
from fsds_convert.tables.load import load_table

_STRATEGY = "fsdp_config.fsdp_sharding_strategy"
_RESHARD = "fsdp_config.fsdp_reshard_after_forward"


def strategy_not_read(facts: Facts) -> Iterator[Match]:
    """FSDP1: fsdp_reshard_after_forward names another strategy than the one that runs."""
    declared = _declared(facts)
    if declared is not None and declared != facts.runs(_STRATEGY):
        yield Match({"declared": declared, "running": facts.runs(_STRATEGY)})


def strategy_not_read_but_runs(facts: Facts) -> Iterator[Match]:
    """FSDP1: fsdp_reshard_after_forward names the very strategy that runs."""
    declared = _declared(facts)
    if declared is not None and declared == facts.runs(_STRATEGY):
        yield Match({"running": declared})


def version_that_does_not_exist(facts: Facts) -> Iterator[Match]:
    """What the plugin makes of fsdp_reshard_after_forward there (accelerate/utils/dataclasses.py:1856)."""
    reshard = facts.setting(_RESHARD)
    written = reshard.written if reshard is not None and reshard.is_written else True
    upper = str(written).upper()
    named = load_table("fsdp").by_key[_STRATEGY][0]
    if upper in named.values or upper in named.aliases:
        strategy = named.aliases.get(upper, upper)
        yield Match({"happens": f"and runs FSDP1 with `fsdp_reshard_after_forward` as its strategy, {strategy}"})
    else:
        yield Match({"happens": f"and fails with KeyError: '{upper}'"})


def _declared(facts: Facts) -> str | None:
    reshard = facts.setting(_RESHARD)
    named = load_table("fsdp").by_key[_STRATEGY][0].values
    return reshard.intent if reshard is not None and reshard.is_written and reshard.intent in named else None


CHECKS: dict[str, Check] = {
    "strategy_not_read": strategy_not_read,
    "strategy_not_read_but_runs": strategy_not_read_but_runs,
    "version_that_does_not_exist": version_that_does_not_exist,
}
