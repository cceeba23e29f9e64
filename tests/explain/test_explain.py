"""`fsds explain` and `fsds mapping`: every word has its page, and every page holds together."""

from __future__ import annotations

import json

import pytest

from fsds_convert.errors import FsdsError, UnknownName
from fsds_convert.explain.explain import explain, words
from fsds_convert.explain.mapping import COLUMNS, equivalences, mapping_data, mapping_markdown, mapping_text
from fsds_convert.explain.page import plain
from fsds_convert.explain.topics import follows, other_codes, topics
from fsds_convert.plan.training_plan import FIELDS
from fsds_convert.rules.catalog import catalog
from fsds_convert.tables.load import load_document, load_table
from fsds_convert.transfer.rows import transfers


def test_every_word_has_a_page() -> None:
    """A rule, the code of a conversion, a topic, a plan field and every key of every dialect."""
    for word in words():
        page = explain(word)
        assert page.markdown.startswith("# "), word
        assert json.dumps(page.data)
        assert plain(page.markdown).strip(), word


def test_every_rule_and_code_is_a_word() -> None:
    named = words()
    coded = {*catalog(), *(row.code for row in transfers()), *other_codes(), *FIELDS}
    assert coded - set(named) == set()


def test_every_code_of_a_conversion_that_code_uses_has_a_page() -> None:
    """Those beside mappings/transfer.yaml stand in topics.yaml."""
    assert {"FSDS9E0", "FSDS9E1", "FSDS9E2"} == set(other_codes())
    for code, (name, _) in other_codes().items():
        assert explain(code).markdown == explain(name).markdown


@pytest.mark.parametrize("topic", topics(), ids=lambda topic: topic.names[0])
def test_what_a_topic_builds_on_has_a_page(topic: object) -> None:
    for name in topic.see:  # type: ignore[attr-defined]
        assert explain(name).title


def test_codes_in_a_topic_are_named_below_it() -> None:
    for topic in topics():
        named = {word.strip("().,") for word in topic.text.split() if word.strip("().,").startswith("FSDS")}
        assert named <= set(topic.see)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("fsdp_sharding_strategy", ["FSDP1 only", "`FULL_SHARD`", "`zero_stage`", "FSDS901", "FSDS210"]),
        ("sharding_strategy", ["`fsdp_config.fsdp_sharding_strategy`"]),
        ("fsdp_config.fsdp_sharding_strategy", ["`FULL_SHARD`"]),
        ("zero_stage", ["deepspeed_config, inline", "`zero_optimization.stage`", "`fsdp_reshard_after_forward`"]),
        ("stage3_prefetch_bucket_size", ["`zero_optimization.stage3_prefetch_bucket_size`", "`50000000`"]),
        ("bf16.enabled", ["DeepSpeed JSON", "`mixed_precision`", "`auto` is filled in"]),
        ("gradient_clipping", ["deepspeed_config, inline", "DeepSpeed JSON", "before deepspeed 0.19.3"]),
        ("fsdp_backward_prefetch_policy", ["removed in accelerate 1.0.0", "replaced by `fsdp_backward_prefetch`"]),
        ("cpu_offload", ["fsdp_config of the Trainer", "`zero_optimization.cpu_offload`"]),
        ("sharding.strategy", ["`fsdp_sharding_strategy`", "FSDS901"]),
        ("FSDS210", ["severity: error", "torch 2.13.0", "## Instead", "`fsds lint --fix`"]),
        ("fsds210", ["hybrid-shard-without-wrap-policy"]),
        ("hybrid-shard-without-wrap-policy", ["FSDS210"]),
        ("FSDS901", ["approximate", "zero2-keeps-parameters-on-every-rank"]),
        ("stage", ["| stage 3 | `FULL_SHARD` | `true` |", "| stage 2 | `SHARD_GRAD_OP` | `false` |"]),
        ("state-dict", ["| `true` | `FULL_STATE_DICT` |", "| `false` | `SHARDED_STATE_DICT` |"]),
    ],
)
def test_page_says(word: str, parts: list[str]) -> None:
    text = explain(word).markdown
    assert [part for part in parts if part not in text] == []


@pytest.mark.parametrize(
    ("word", "near"),
    [("zero_stge", "zero_stage"), ("FSDS2100", "FSDS210"), ("fsdp_shardng_strategy", "fsdp_sharding_strategy")],
)
def test_unknown_word_has_a_suggestion(word: str, near: str) -> None:
    with pytest.raises(UnknownName) as error:
        explain(word)
    assert error.value.closest == near


def test_name_of_many_keys_asks_for_one() -> None:
    with pytest.raises(FsdsError) as error:
        explain("enabled")
    assert "bf16.enabled" in error.value.hint


def test_plain_text_has_no_marks() -> None:
    text = plain("# A\n\n**b** `c*d` e\\_f [g](h.md)\n\n| i | j |\n|---|---|\n| `k` | l |\n\n```yaml\nm: **n**\n```\n")
    assert text == "A\n\nb `c*d` e_f g\n\ni    j\n`k`  l\n\n    m: **n**\n"


def test_mapping_has_a_row_for_every_field() -> None:
    assert [entry.field for entry in equivalences()] == list(FIELDS)
    table = [line for line in mapping_markdown(equivalences()).splitlines() if line.startswith("| ")]
    assert len(table) == len(FIELDS) + 1
    assert mapping_text(equivalences()).count("\n\n") == len(FIELDS) - 1
    assert [entry["field"] for entry in mapping_data(equivalences())] == list(FIELDS)


def test_mapping_of_one_engine() -> None:
    for entry in equivalences("offload", "fsdp2"):
        assert entry.field.startswith("offload.")
        assert set(entry.rows) == {"fsdp2"}
        assert all("fsdp2" in (*row.sources, *row.targets) for row in entry.transfers if row.sources)


def test_every_field_of_the_plan_is_told_of() -> None:
    """The words for what each field is stand in mappings/plan.yaml."""
    assert set(load_document("plan")["fields"]) == set(FIELDS)


def test_what_a_field_follows_is_a_key() -> None:
    for field, columns in follows().items():
        assert field in FIELDS
        assert set(columns) <= set(COLUMNS)
        for keys in columns.values():
            assert all(explain(key) for key in keys)


@pytest.mark.parametrize(
    ("stage", "fsdp1", "fsdp2"), [(0, "NO_SHARD", None), (2, "SHARD_GRAD_OP", False), (3, "FULL_SHARD", True)]
)
def test_stages_on_the_page_are_those_of_the_tables(stage: int, fsdp1: str, fsdp2: bool | None) -> None:
    meaning = load_table("deepspeed-inline").by_key["deepspeed_config.zero_stage"][0].values[stage]
    assert load_table("fsdp").by_key["fsdp_config.fsdp_sharding_strategy"][0].values[fsdp1] == meaning
    row = load_table("fsdp").row("fsdp_config.fsdp_reshard_after_forward", "fsdp2")
    assert row is not None
    assert next((spelling for spelling, word in row.values.items() if word == meaning), None) is fsdp2
    assert f"| stage {stage} | `{fsdp1}` |" in explain("stage").markdown


@pytest.mark.parametrize(("saves", "kind"), [(True, "FULL_STATE_DICT"), (False, "SHARDED_STATE_DICT")])
def test_state_dicts_on_the_page_are_those_of_the_tables(saves: bool, kind: str) -> None:
    row = load_table("deepspeed-inline").by_key["deepspeed_config.zero3_save_16bit_model"][0]
    assert load_table("fsdp").by_key["fsdp_config.fsdp_state_dict_type"][0].values[kind] == row.values[saves]
    assert f"| `{str(saves).lower()}` | `{kind}` |" in explain("state-dict").markdown
