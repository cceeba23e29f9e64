"""The Trainer's arguments about FSDP and checkpoints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fsds_convert.diagnostics import Change
from fsds_convert.rules.checks.arguments import arguments
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match
from fsds_convert.settings.show import show
from fsds_convert.tables.load import load_table

_IN = "fsdp_config"
STRATEGIES = ("full_shard", "shard_grad_op", "no_shard", "hybrid_shard", "hybrid_shard_zero2")
_WITH_FSDP2 = STRATEGIES[:2]
_OTHERS = ("offload", "auto_wrap")
# what TrainingArguments fills in by itself, and so what a dump of them holds
_FILLED = ("min_num_params", "xla", "xla_fsdp_v2", "xla_fsdp_grad_ckpt")


def config_without_fsdp(facts: Facts) -> Iterator[Match]:
    """An fsdp_config that says something, and no `fsdp`."""
    data = facts.source.data
    config = data.get(_IN)
    asks = config
    if isinstance(config, Mapping):
        asks = any(value is not None for key, value in config.items() if key not in _FILLED)
    if asks and not data.get("fsdp"):
        yield Match()


def words(facts: Facts) -> list[Any]:
    """The options that `fsdp` names, where it is text or a list."""
    written = facts.source.data.get("fsdp")
    return written.split() if isinstance(written, str) else written if isinstance(written, list) else []


def _error(word: Any, engine: str) -> str:
    """What _apply_legacy_fsdp_to_config raises for an option; empty for one that it takes."""
    if not isinstance(word, str) or word.lower() not in (*STRATEGIES, *_OTHERS):
        return f"Unknown `fsdp` option: {word}"
    if word.lower() in _OTHERS:
        return "" if word in _OTHERS else f"Unknown `fsdp` option: {word}"
    if engine == "fsdp1" or word in _WITH_FSDP2:
        return ""
    return f"`fsdp={word}` is only available with FSDP1. Set `fsdp_config['version'] = 1` to use it"


def option_refused(facts: Facts) -> Iterator[Match]:
    """Each option that TrainingArguments refuses."""
    asked = words(facts)
    for word in asked:
        error = _error(word, facts.engine)
        if not error:
            continue
        value, remedy = _meant(asked, word, facts.engine)
        changes = () if value is None else (Change("set", ("fsdp",), value),)
        yield Match({"word": word, "error": error, "remedy": remedy}, changes=changes)


def _meant(asked: list[Any], word: Any, engine: str) -> tuple[Any, str]:
    lower = str(word).lower()
    if lower in ("true", "false", "yes", "no") and len(asked) == 1:
        return lower in ("true", "yes"), f"write `fsdp: {show(lower in ('true', 'yes'))}`, without quotes"
    if not _error(lower, engine):
        return " ".join(str(each).lower() if each == word else str(each) for each in asked), f"write `{lower}`"
    if lower.startswith("hybrid"):
        return None, "write `fsdp: true`, and give the Trainer a parallelism_config with dp_replicate_size in Python"
    if lower == "no_shard":
        return None, "leave `fsdp` out: that is plain data parallelism"
    return None, f"write `fsdp: true`, or some of {', '.join((*_WITH_FSDP2, *_OTHERS))}"


def words_for_options(facts: Facts) -> Iterator[Match]:
    """Options that still are taken, and the keys of fsdp_config that say the same."""
    asked, config = words(facts), facts.source.data.get(_IN)
    if not asked or any(_error(word, facts.engine) for word in asked):
        return
    meant: dict[str, Any] = {}
    if facts.engine == "fsdp2" and "shard_grad_op" in asked and "full_shard" not in asked:
        meant["reshard_after_forward"] = False
    if "offload" in asked:
        meant["cpu_offload"] = True
    new = {name: value for name, value in meant.items() if not facts.written(f"{_IN}.{name}")}
    changes = [Change("set", ("fsdp",), True), *(Change("set", (_IN, name), value) for name, value in new.items())]
    inside = "".join(f", and `{name}: {show(value)}` in fsdp_config" for name, value in new.items())
    can = not new or config is None or isinstance(config, Mapping)
    yield Match({"words": show(asked), "inside": inside}, changes=tuple(changes) if can else ())


def strategy_not_passed_on(facts: Facts) -> Iterator[Match]:
    """FSDP1 with a strategy among the options: the plugin gets it as reshard_after_forward, which FSDP1 never reads."""
    asked = [word.lower() for word in words(facts) if isinstance(word, str) and word.lower() in STRATEGIES]
    if asked and asked[0] != "full_shard" and not facts.written(f"{_IN}.reshard_after_forward"):
        yield Match({"word": asked[0], "upper": asked[0].upper()})


def file_not_read(facts: Facts) -> Iterator[Match]:
    """An argument that names no JSON file, or has a value of another kind."""
    errors = {_IN: "FileNotFoundError: [Errno 2] No such file or directory", "deepspeed": _EXPECTED}
    for argument, error in errors.items():
        written, held = facts.source.data.get(argument), facts.beside.get(argument)
        if not written or (argument == _IN and not facts.source.data.get("fsdp")):
            continue
        if held is None:
            why, help = (
                f"`{argument}: {show(written)}` is neither a path nor a mapping",
                "write the path of a JSON file",
            )
            yield Match({"why": why, "error": error, "remedy": help}, facts.place((argument,)))
        elif held.data is None:
            yield Match({"why": held.why, "error": error, "remedy": held.hint}, facts.place((argument,)))


_EXPECTED = (
    "ValueError: Expected a string path to an existing deepspeed config, or a dictionary, or a base64 encoded string"
)


def file_beside(facts: Facts) -> Iterator[Match]:
    """A file that lies next to the one that names it, and not in the working directory."""
    for argument in (_IN, "deepspeed"):
        held = facts.beside.get(argument)
        if held is not None and held.beside:
            yield Match({"path": facts.source.data[argument]}, facts.place((argument,)))


def checkpointing_twice(facts: Facts) -> Iterator[Match]:
    """FSDP's own activation checkpointing, and that of the model."""
    args = arguments(facts)
    argument = args.checkpointing if args is not None else None
    if argument is None:
        return
    in_file = facts.container == "trainer-args"
    changes = (Change("set", (argument,), False),) if in_file else ()
    yield Match({"argument": argument}, facts.place((argument,)) if in_file else None, changes)


def checkpointing_in_the_model(facts: Facts) -> Iterator[Match]:
    """The model's checkpointing under FSDP, where FSDP's own could be."""
    args, config = arguments(facts), facts.source.data.get(_IN)
    if args is None or args.checkpointing is None:
        return
    changes = [Change("set", (args.checkpointing,), False)]
    changes.append(Change("set", (_IN, "activation_checkpointing"), True))
    can = config is None or isinstance(config, Mapping)
    yield Match(
        {"argument": args.checkpointing}, facts.place((args.checkpointing,)), changes=tuple(changes) if can else ()
    )


def state_dict_type(facts: Facts) -> Iterator[Match]:
    """The key that decides what a checkpoint holds, under its name in this kind of file."""
    key = "fsdp_state_dict_type" if facts.container == "accelerate" else "state_dict_type"
    yield Match({"key": key, "type": facts.runs(f"{_IN}.{key}")})


def saves_only_the_model(facts: Facts) -> Iterator[Match]:
    """save_only_model."""
    args = arguments(facts)
    if args is not None and args.on("save_only_model"):
        yield Match()


def loads_best_without_optimizer(facts: Facts) -> Iterator[Match]:
    """save_only_model with load_best_model_at_end."""
    args = arguments(facts)
    if args is not None and args.on("save_only_model") and args.on("load_best_model_at_end"):
        yield Match({"wrapper": "DeepSpeed" if facts.engine == "deepspeed" else "FSDP"})


def fsdp_beside_the_argument(facts: Facts) -> Iterator[Match]:
    """`fsdp` of the arguments over an Accelerate file's fsdp_config."""
    args, config = arguments(facts), facts.source.data.get(_IN)
    if args is not None and args.on("fsdp") and config:
        yield Match({"argument": "fsdp", "written": _IN}, facts.place((_IN,), key=True))


def precision_of_the_arguments(facts: Facts) -> Iterator[Match]:
    """fp16 or bf16 of the arguments over the launcher's variable (transformers/training_args.py:1614)."""
    args, setting = arguments(facts), facts.setting("mixed_precision")
    if args is None or setting is None or not setting.is_written or setting.written is None or setting.note:
        return
    argument = next((name for name in ("fp16", "bf16") if args.on(name)), None)
    beside_json = facts.deepspeed_path is not None or args.on("deepspeed")  # refused by other rules
    if argument is not None and setting.value not in (argument, None) and not beside_json:
        yield Match({"argument": argument}, changes=(Change("set", setting.origin.path, argument),))


def number_as_text(facts: Facts) -> Iterator[Match]:
    """A number in quotes, or one that YAML 1.1 takes for text, such as 1e-5."""
    for row in load_table("training-args"):
        written = facts.source.data.get(row.key)
        if row.type not in ("env-int", "env-float") or not isinstance(written, str):
            continue
        try:
            number = int(written) if row.type == "env-int" else float(written)
        except ValueError:
            continue
        words = {"key": row.key, "written": written}
        yield Match(words, facts.place((row.key,)), (Change("set", (row.key,), number),))


CHECKS: dict[str, Check] = {
    "config_without_fsdp": config_without_fsdp,
    "option_refused": option_refused,
    "words_for_options": words_for_options,
    "strategy_not_passed_on": strategy_not_passed_on,
    "file_not_read": file_not_read,
    "file_beside": file_beside,
    "checkpointing_twice": checkpointing_twice,
    "checkpointing_in_the_model": checkpointing_in_the_model,
    "state_dict_type": state_dict_type,
    "saves_only_the_model": saves_only_the_model,
    "loads_best_without_optimizer": loads_best_without_optimizer,
    "fsdp_beside_the_argument": fsdp_beside_the_argument,
    "precision_of_the_arguments": precision_of_the_arguments,
    "number_as_text": number_as_text,
}
