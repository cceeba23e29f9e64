"""What people see in VS Code and Neovim: the YAML language server itself, with the published schema."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.schema.published import FOLDER

from .language_server import LanguageServer
from .node import command

MODELINE = f"# yaml-language-server: $schema={(FOLDER / 'accelerate.schema.json').as_uri()}\n"


@pytest.fixture(scope="module")
def server() -> Iterator[LanguageServer]:
    with LanguageServer(command(), {(FOLDER / "deepspeed.schema.json").as_uri(): "ds_config*.json"}) as started:
        yield started


FSDP = """distributed_type: FSDP
num_processes: 8
fsdp_config:
  fsdp_version: 2
  fsdp_re
"""


def test_keys_of_fsdp_config_are_offered(server: LanguageServer) -> None:
    uri = "file:///offered.yaml"
    server.open(uri, MODELINE + FSDP)
    offered = {item["label"]: item for item in server.ask("completion", uri, 5, 9)["items"]}
    assert {"fsdp_reshard_after_forward", "fsdp_sharding_strategy", "fsdp_offload_params"} <= set(offered)
    # neither what is gone nor the names without their prefix
    assert not {"fsdp_backward_prefetch_policy", "sharding_strategy", "fsdp_cpu_offload"} & set(offered)
    assert "frees the gathered parameters" in str(offered["fsdp_reshard_after_forward"].get("documentation"))


def test_values_are_offered(server: LanguageServer) -> None:
    uri = "file:///values.yaml"
    server.open(uri, MODELINE + "distributed_type: FSDP\nfsdp_config:\n  fsdp_sharding_strategy: \n")
    offered = {item["label"] for item in server.ask("completion", uri, 3, 27)["items"]}
    assert {"FULL_SHARD", "SHARD_GRAD_OP", "HYBRID_SHARD"} <= offered


@pytest.mark.parametrize("key", ["fsdp_state_dict_type", "state_dict_type"])
def test_hover_explains_a_key(server: LanguageServer, key: str) -> None:
    uri = f"file:///hover-{key}.yaml"
    server.open(uri, MODELINE + f"distributed_type: FSDP\nfsdp_config:\n  {key}: FULL_STATE_DICT\n")
    shown = server.ask("hover", uri, 3, 6)["contents"]["value"].replace("\\", "")
    assert "What save_state and Trainer's resume checkpoints hold" in shown
    assert "accelerate launch" in shown


def test_misspelt_key_is_underlined(server: LanguageServer) -> None:
    text = MODELINE + "distributed_type: FSDP\nfsdp_config:\n  fsdp_shardng_strategy: FULL_SHARD\n"
    (found,) = server.open("file:///misspelt.yaml", text)
    assert found["range"]["start"] == {"line": 3, "character": 2}
    assert "fsdp_shardng_strategy" in found["message"]


def test_wrong_value_says_what_is_accepted(server: LanguageServer) -> None:
    text = MODELINE + "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 3\n"
    (found,) = server.open("file:///wrong.yaml", text)
    assert found["range"]["start"] == {"line": 3, "character": 16}
    assert "`fsdp_version` accepts `1`, `2`" in found["message"]


@pytest.mark.parametrize("version", [1, 2])
def test_the_version_decides_what_reshard_after_forward_accepts(server: LanguageServer, version: int) -> None:
    text = (
        f"distributed_type: FSDP\nfsdp_config: {{fsdp_version: {version},\n  fsdp_reshard_after_forward: FULL_SHARD}}\n"
    )
    found = server.open(f"file:///version-{version}.yaml", MODELINE + text)
    assert [each["range"]["start"]["line"] for each in found] == ([] if version == 1 else [3])


def test_good_file_is_left_alone(server: LanguageServer) -> None:
    text = (FOLDER.parents[1] / "examples" / "fsdp2.yaml").read_text("utf-8")
    assert server.open("file:///good.yaml", MODELINE + text) == []


def test_deepspeed_json_by_its_name(server: LanguageServer) -> None:
    """The schema that the settings of the editor name for a pattern."""
    uri = "file:///ds_config_zero3.json"
    text = '{\n  "zero_optimization": {\n    "stage": 3,\n    "overlap_com": true\n  }\n}\n'
    (found,) = server.open(uri, text)
    assert found["range"]["start"] == {"line": 3, "character": 4}
    assert "overlap_com" in found["message"]
    assert "What is partitioned over the ranks" in server.ask("hover", uri, 2, 7)["contents"]["value"]
