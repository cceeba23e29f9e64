"""A DeepSpeed config against TrainingArguments, as HfTrainerDeepSpeedConfig compares them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fsds_convert.diagnostics import Change, Place
from fsds_convert.rules.checks.arguments import Arguments, arguments
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match
from fsds_convert.settings.show import show
from fsds_convert.syntax.span import Path
from fsds_convert.tables.versions import parse_version

# fields that Accelerate refuses beside a JSON (accelerate/utils/dataclasses.py:1508)
_INLINE = (
    *("gradient_accumulation_steps", "gradient_clipping", "zero_stage", "offload_optimizer_device"),
    *("offload_param_device", "offload_param_nvme_path", "offload_optimizer_nvme_path", "zero3_save_16bit_model"),
)
_CLIPS_SINCE = parse_version("0.19.3")


def mismatches(facts: Facts) -> Iterator[Match]:
    """Each value that is neither "auto" nor that of its argument (transformers/integrations/deepspeed.py:123)."""
    args = arguments(facts)
    if args is None or (facts.container == "accelerate" and args.on("deepspeed")):
        return
    config = _config(facts, args)
    for key, ours, name in _compared(args, _processes(facts)):
        theirs = _at(config, key)
        if theirs is None or theirs == "auto" or _agree(key, theirs, ours, args):
            continue
        path = _path(key, facts)
        in_json = facts.container == "deepspeed-json"
        ours = _product(*ours) if key == "train_batch_size" else ours
        shown = {"is": show(theirs), "asked": show(ours)}
        words = {"key": key, "theirs": theirs, "ours": ours, "argument": name, **shown}
        changes: tuple[Change, ...] = ()
        if in_json and path in facts.source.values:
            words["remedy"] = f'write "{path[-1]}": "auto", or change the argument'
            changes = (Change("set", path, "auto"),)
        elif path[:1] == ("deepspeed_config",) and facts.deepspeed_file is None:
            words["remedy"] = f"leave `{path[-1]}` out, or change the argument"
            changes = (Change("remove", path),)
        else:
            words["remedy"] = 'write "auto" there, or change the argument'
        yield Match(words, _place(path, facts), changes)


def _config(facts: Facts, args: Arguments) -> Mapping[str, Any]:
    """The config that upstream holds against the arguments."""
    if facts.container == "deepspeed-json":
        return dict(facts.source.data)
    if facts.deepspeed_file is not None:
        return {"gradient_accumulation_steps": 1, **facts.deepspeed_file.data}
    inline = facts.source.data.get("deepspeed_config")
    section = inline if isinstance(inline, Mapping) else {}
    keys = ("gradient_accumulation_steps", "gradient_clipping")
    config: dict[str, Any] = {key: facts.runs(key) for key in keys if section.get(key)}
    precision = next((word for word in ("fp16", "bf16") if args.on(word)), facts.runs("mixed_precision"))
    config["fp16"] = {"enabled": precision == "fp16"}
    config["bf16"] = {"enabled": precision in ("bf16", "fp8")}
    return config


def _compared(args: Arguments, processes: int | None) -> Iterator[tuple[str, Any, str]]:
    micro, steps = args.get("per_device_train_batch_size"), args.get("gradient_accumulation_steps")
    rate = args.get("learning_rate")
    yield "train_micro_batch_size_per_gpu", micro, "per_device_train_batch_size"
    yield "gradient_accumulation_steps", steps, "gradient_accumulation_steps"
    yield "train_batch_size", (processes, micro, steps), "train_batch_size (calculated)"
    yield "gradient_clipping", args.get("max_grad_norm"), "max_grad_norm"
    yield "optimizer.params.lr", rate, "learning_rate"
    yield "optimizer.params.betas", [args.get("adam_beta1"), args.get("adam_beta2")], "adam_beta1+adam_beta2"
    yield "optimizer.params.eps", args.get("adam_epsilon"), "adam_epsilon"
    yield "optimizer.params.weight_decay", args.get("weight_decay"), "weight_decay"
    yield "scheduler.params.warmup_max_lr", rate, "learning_rate"
    yield "fp16.enabled", args.get("fp16") or args.get("fp16_full_eval"), "fp16|fp16_full_eval"
    yield "bf16.enabled", args.get("bf16") or args.get("bf16_full_eval"), "bf16|bf16_full_eval"
    if args.steps is not None:
        yield "scheduler.params.total_num_steps", args.steps, "num_training_steps (calculated)"
    if (warmup := args.warmup_steps) is not None:
        yield "scheduler.params.warmup_num_steps", max(1, warmup), "warmup_steps"


def _agree(key: str, theirs: Any, ours: Any, args: Arguments) -> bool:
    if key != "train_batch_size":
        return bool(theirs == ours)
    processes, micro, steps = ours
    if not all(isinstance(number, int) and number > 0 for number in (theirs, micro, steps)):
        return True
    return bool(theirs == processes * micro * steps if processes else theirs % (micro * steps) == 0)


def _product(processes: int | None, micro: int, steps: int) -> int | str:
    return processes * micro * steps if processes else f"{micro} * {steps} * the number of processes"


def _processes(facts: Facts) -> int | None:
    number = facts.runs("num_processes") if facts.container == "accelerate" else facts.context.num_processes
    return number if isinstance(number, int) and number > 0 else None


def _at(config: Mapping[str, Any], key: str) -> Any:
    """None where the section or the key is not there."""
    held: Any = config
    for part in key.split("."):
        if not isinstance(held, Mapping):
            return None
        held = held.get(part)
    return held


def _path(key: str, facts: Facts) -> Path:
    if facts.container == "deepspeed-json" or facts.deepspeed_file is not None:
        return tuple(key.split("."))
    return ("mixed_precision",) if key.endswith(".enabled") else ("deepspeed_config", key)


def _place(path: Path, facts: Facts) -> Place:
    source = facts.deepspeed_file or facts.source
    spans = (source.values.get(path[:length]) for length in range(len(path), 0, -1))
    return Place(source.name, next((span for span in spans if span is not None), None))


def clipping_not_taken(facts: Facts) -> Iterator[Match]:
    """A JSON without the key is not compared, and DeepSpeed's own default runs."""
    args = arguments(facts)
    config = facts.source if facts.container == "deepspeed-json" else facts.deepspeed_file
    if args is None or config is None or not isinstance(config.data, Mapping) or "gradient_clipping" in config.data:
        return
    runs = 1.0 if facts.context.versions.of("deepspeed") >= _CLIPS_SINCE else 0.0
    asked = args.get("max_grad_norm")
    if asked != runs:
        words = {"asked": show(asked), "runs": f"clips at {runs}" if runs else "does not clip"}
        yield Match(words, Place(config.name), (Change("set", ("gradient_clipping",), "auto"),))


def inline_keys_beside_the_argument(facts: Facts) -> Iterator[Match]:
    """The DeepSpeedPlugin that the Trainer makes of its argument refuses the launcher's fields."""
    args, section = arguments(facts), facts.source.data.get("deepspeed_config")
    if args is None or not args.on("deepspeed"):
        return
    written = [key for key in _INLINE if isinstance(section, Mapping) and key in section]
    path: Path = ("deepspeed_config", written[0]) if written else ("mixed_precision",)
    if facts.source.data.get("mixed_precision") is not None:
        written.append("mixed_precision")
    if written:
        yield Match({"keys": ", ".join(written)}, facts.place(path, key=True))


def file_beside_the_argument(facts: Facts) -> Iterator[Match]:
    """The Trainer's argument is read, and not the file that the launcher names."""
    args = arguments(facts)
    if args is not None and args.on("deepspeed") and facts.deepspeed_path is not None:
        words = {"argument": "deepspeed", "written": f"deepspeed_config_file: {facts.deepspeed_path}"}
        yield Match(words, facts.place(("deepspeed_config", "deepspeed_config_file")))


def batch_size_search_with_zero3(facts: Facts) -> Iterator[Match]:
    """The Trainer refuses it as soon as it knows the stage."""
    args = arguments(facts)
    if args is not None and args.on("auto_find_batch_size"):
        yield Match()


CHECKS: dict[str, Check] = {
    "mismatches": mismatches,
    "clipping_not_taken": clipping_not_taken,
    "inline_keys_beside_the_argument": inline_keys_beside_the_argument,
    "file_beside_the_argument": file_beside_the_argument,
    "batch_size_search_with_zero3": batch_size_search_with_zero3,
}
