"""A new release shows itself: what the installed accelerate and deepspeed know, some table knows too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import version

import pytest

pytest.importorskip("accelerate")
pytest.importorskip("deepspeed")

from fsds_convert.tables.load import load_table
from tests.oracle import upstream_keys

_LAUNCHED = ("accelerate", "launch-flags", "fsdp", "deepspeed-inline", "parallelism", "dynamo", "fp8")


def names(*tables: str) -> set[str]:
    """The keys of tables as they are written inside their section."""
    return {row.name for table in tables for row in load_table(table)}


def attributes(table: str) -> set[str]:
    """The attributes of upstream's plugin that rows stand for, and the objects that hold them."""
    return {part for row in load_table(table) for part in (row.plugin or row.name).split(".")}


# upstream's names, what the tables know of them, and the file that a new one belongs into
KNOWN: list[tuple[str, Callable[[], Iterable[str]], Callable[[], set[str]], str]] = [
    ("ClusterConfig", upstream_keys.cluster_config_keys, lambda: names("accelerate"), "accelerate.yaml"),
    (
        "ClusterConfig.process_config",
        upstream_keys.legacy_cluster_config_keys,
        lambda: names("accelerate"),
        "accelerate.yaml",
    ),
    ("accelerate launch", upstream_keys.launch_parser_dests, lambda: names(*_LAUNCHED), "launch-flags.yaml"),
    (
        "FullyShardedDataParallelPlugin",
        upstream_keys.fsdp_plugin_fields,
        lambda: attributes("fsdp"),
        "fsdp.yaml (as `plugin`)",
    ),
    (
        "DeepSpeedPlugin",
        upstream_keys.deepspeed_plugin_fields,
        lambda: attributes("deepspeed-inline"),
        "deepspeed-inline.yaml (as `plugin`)",
    ),
    (
        "ParallelismConfig",
        upstream_keys.parallelism_fields,
        lambda: attributes("parallelism"),
        "parallelism.yaml (as `plugin`)",
    ),
    ("TorchDynamoPlugin", upstream_keys.dynamo_fields, lambda: attributes("dynamo"), "dynamo.yaml (as `plugin`)"),
]


@pytest.mark.parametrize(("owner", "theirs", "ours", "file"), KNOWN, ids=[owner for owner, *_ in KNOWN])
def test_accelerate(owner: str, theirs: Callable[[], Iterable[str]], ours: Callable[[], set[str]], file: str) -> None:
    unknown = sorted(set(theirs()) - ours())
    assert not unknown, f"{owner} of accelerate {version('accelerate')} has {unknown}: add rows to mappings/{file}"


def test_deepspeed_json() -> None:
    table = load_table("deepspeed-json")
    whole = tuple(f"{row.key}." for row in table if row.type in ("mapping", "raw"))  # taken as they are
    unknown = sorted(
        key for key in upstream_keys.deepspeed_json_keys() if key not in table.by_key and not key.startswith(whole)
    )
    assert not unknown, (
        f"DeepSpeedConfig of deepspeed {version('deepspeed')} reads {unknown}: add rows to "
        "mappings/deepspeed-json.yaml, or to deepspeed-json-other.yaml what does not change how a model is trained"
    )


def test_deepspeed_removed() -> None:
    """What DeepSpeed refuses because the feature is gone has a row that says since when."""
    rows = load_table("deepspeed-json").by_key
    silent = sorted(
        key for key in upstream_keys.removed_deepspeed_keys() if not any(row.removed for row in rows.get(key, ()))
    )
    assert not silent, (
        f"deepspeed {version('deepspeed')} has removed {silent}: write `removed: deepspeed X.Y.Z` into their rows in "
        "mappings/deepspeed-json.yaml"
    )
