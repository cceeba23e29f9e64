"""Ours against upstream's, setting by setting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsds_convert.containers import accelerate_file
from fsds_convert.containers.reading import Reading
from fsds_convert.engines.fields import acts
from fsds_convert.errors import InputError
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided
from fsds_convert.syntax.read_file import read_source
from fsds_convert.tables.load import load_table

from . import deepspeed_config, plugins, prepare
from .launcher import Launched, launch
from .outcome import Refused

Found = dict[str, Any]


@dataclass(frozen=True)
class Pair:
    """One setting as `fsds effective` gives it, and as upstream holds it."""

    name: str
    ours: Any
    theirs: Any

    @property
    def agrees(self) -> bool:
        """Equal, and both booleans or neither."""
        return bool(self.ours == self.theirs) and isinstance(self.ours, bool) == isinstance(self.theirs, bool)


def agreement(path: Path) -> list[Pair]:
    """Every pair for an Accelerate file; none where upstream refuses it, or fsds reads no such type."""
    answer = launch(path)
    found = plugins.settings(answer) if isinstance(answer, Launched) else answer
    if isinstance(found, Refused) or not isinstance(answer, Launched):
        return []
    try:
        reading = accelerate_file.read(read_source(str(path)), Context())
    except InputError:
        return []
    config: Found | None = None
    if found["engine"] == "deepspeed":
        ready = prepare.prepare(answer)
        built = ready if isinstance(ready, Refused) else deepspeed_config.build(ready.config, ready.world_size)
        if isinstance(built, Refused):
            return []
        config = built
    return pairs(reading, found, config)


def pairs(reading: Reading, found: Found, config: Found | None) -> list[Pair]:
    """Every setting that upstream's objects hold. `config` is DeepSpeedConfig, flat, for a DeepSpeed run."""
    engine = Pair("engine", reading.engine, _engine(found))
    if not engine.agrees:
        return [engine]
    told = [*_topology(reading, found), *_dynamo(reading, found), engine]
    if reading.engine in ("fsdp1", "fsdp2"):
        return [*told, *_fsdp(reading, found), *_policy(reading, found), *_parallelism(reading, found)]
    if reading.engine == "deepspeed":
        return [*told, *_plugin(reading, found), *_config(reading, found, config or {})]
    return told


def _engine(found: Found) -> Any:
    return "ddp" if found["engine"] == "single" or found["engine"].startswith("MULTI") else found["engine"]


def _topology(reading: Reading, found: Found) -> Iterator[Pair]:
    topology = found["topology"]
    for name in ("num_processes", "num_machines", "machine_rank", "main_process_ip", "main_process_port", "gpu_ids"):
        ours = reading.runs.get(f"topology.{name}").value
        theirs = topology[name]
        if name == "main_process_port" and theirs is None:
            theirs = 29500  # accelerate/utils/launch.py:209, at the rendezvous
        if name == "gpu_ids" and theirs is None:
            theirs = "all"
        if name == "machine_rank" and theirs is None:
            theirs = 0
        if name in ("machine_rank", "num_processes") and str(theirs).strip().isdigit():
            theirs = int(theirs)  # torchrun takes a number as text too
        if not isinstance(ours, Decided):
            yield Pair(name, ours, theirs)
    if reading.engine != "deepspeed":
        yield Pair("mixed_precision", reading.settings["mixed_precision"].value, found["mixed_precision"])


def _dynamo(reading: Reading, found: Found) -> Iterator[Pair]:
    if reading.engine == "deepspeed":
        return
    dynamo, plan = found["dynamo"], reading.runs.compile
    yield Pair("dynamo.backend", plan.backend.value, dynamo["backend"])
    yield Pair("dynamo.mode", plan.mode.value, dynamo["mode"])
    yield Pair("dynamo.fullgraph", plan.fullgraph.value, dynamo["fullgraph"])
    yield Pair("dynamo.dynamic", plan.dynamic.value, dynamo["dynamic"])
    yield Pair("dynamo.regional", plan.regional.value, dynamo["use_regional_compilation"])


def _fsdp(reading: Reading, found: Found) -> Iterator[Pair]:
    plan = reading.runs
    for row in load_table("fsdp"):
        if row.plugin not in found or row.type == "dead" or row.replaced_by or not acts(row, reading.engine):
            continue
        theirs = found[row.plugin]
        if row.plugin == "reshard_after_forward" and reading.engine == "fsdp1":
            continue  # never read: sharding_strategy is compared
        setting = reading.settings[row.key]
        ours = setting.intent if setting.idle and theirs == setting.intent else setting.value
        if row.plugin == "auto_wrap_policy":
            ours = {"none": "NO_WRAP", "transformer": "TRANSFORMER_BASED_WRAP", "size": "SIZE_BASED_WRAP"}[
                plan.wrapping.policy.value  # type: ignore[index]
            ]
        if row.plugin == "min_num_params" and theirs is None:
            continue  # another policy: no threshold is read
        if row.plugin == "transformer_cls_names_to_wrap":
            ours = list(ours) if ours else None
        if row.plugin == "sharding_strategy":
            theirs = theirs.lstrip("_")  # torch names it _HYBRID_SHARD_ZERO2
        if row.plugin == "backward_prefetch" and ours == "NO_PREFETCH":
            ours = None
        if row.plugin == "sharding_strategy":
            theirs = theirs.removeprefix("_")  # _HYBRID_SHARD_ZERO2
        if row.plugin == "sync_module_states":
            ours = plan.loading.sync_module_states.value
        yield Pair(row.plugin, ours, theirs)


_TORCH = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp8": "bfloat16"}


def _policy(reading: Reading, found: Found) -> Iterator[Pair]:
    compute = reading.runs.precision.compute.value
    policy = found["mixed_precision_policy"]
    ours = None if isinstance(compute, Decided) else _TORCH[compute]
    yield Pair("mixed_precision_policy.param_dtype", ours, None if policy is None else policy["param_dtype"])
    yield Pair("mixed_precision_policy.reduce_dtype", ours, None if policy is None else policy["reduce_dtype"])


def _parallelism(reading: Reading, found: Found) -> Iterator[Pair]:
    sizes = found["parallelism"]
    if sizes is None:
        return
    plan = reading.runs
    yield Pair("dp_replicate_size", plan.sharding.replicas.value, sizes["dp_replicate_size"])
    yield Pair("tp_size", plan.parallelism.tensor.value, sizes["tp_size"])
    yield Pair("cp_size", plan.parallelism.context.value, sizes["cp_size"])
    sequence = plan.parallelism.sequence
    yield Pair("sp_size", sequence.intent if sequence.idle else sequence.value, sizes["sp_size"])


def _plugin(reading: Reading, found: Found) -> Iterator[Pair]:
    flag = reading.settings["deepspeed_config.zero3_init_flag"]
    stage = found["deepspeed_config"]["zero_optimization"].get("stage", 0)
    if flag.is_written or stage == 3:
        yield Pair("zero3_init_flag", flag.value, found["zero3_init_flag"])
    named = reading.settings["deepspeed_config.deepspeed_moe_layer_cls_names"]
    classes = named.intent if named.idle else named.value  # held below stage 3 too, where nothing is fetched
    yield Pair("moe_layer_cls_names", list(classes) if classes else None, found["moe_layer_cls_names"])
    for name in ("hostfile", "exclusion_filter", "inclusion_filter"):
        ours = reading.runs.get(f"topology.{name}").value
        theirs = found[f"deepspeed_{name}"]
        yield Pair(name, ours, theirs if theirs is None else str(theirs))  # a word of the command line
    launcher = reading.runs.topology.multinode_launcher.value
    if launcher is not None:
        yield Pair("multinode_launcher", launcher, found["deepspeed_multinode_launcher"])


_SHORT = {"float32": "fp32", "float": "fp32", "float16": "fp16", "half": "fp16", "bfloat16": "bf16"}


def _plain(key: str, value: Any) -> Any:
    """Dtypes by their short names; DeepSpeed lower-cases the types of its own optimizers."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, str):
        text = value.removeprefix("torch.")
        if key.endswith("nvme_path") and value == "none":
            return None  # the text stands for no path
        return text.lower() if key == "optimizer.type" else _SHORT.get(text, text)
    return value


def _config(reading: Reading, found: Found, config: Found) -> Iterator[Pair]:
    """Every key of DeepSpeedConfig that a table knows. "auto" is compared as the script of the oracle fills it."""
    for row in load_table("deepspeed-json"):
        if row.key not in config or row.key not in reading.settings or row.replaced_by or row.removed:
            continue
        if row.type in ("dead", "section", "mapping"):
            continue
        setting, theirs = reading.settings[row.key], config[row.key]
        if setting.value == "auto" or row.key in ("train_batch_size", "train_micro_batch_size_per_gpu"):
            continue
        # DeepSpeedConfig holds a value that the engine does not read at this stage
        if row.type in ("flag", "bool") and setting.is_written and not (theirs is None and row.null_is_absent):
            theirs = bool(theirs)  # the engine asks for its truth
        if row.case == "any" and isinstance(theirs, str):
            theirs = next((spelling for spelling in row.values if spelling.lower() == theirs.lower()), theirs)
        held_unused = setting.idle and _plain(row.key, theirs) == _plain(row.key, setting.intent)
        ours = setting.intent if held_unused else setting.value
        yield Pair(row.key, _plain(row.key, ours), _plain(row.key, theirs))
    plan = reading.runs
    norm = plan.clipping.max_norm.value
    clips = config["gradient_clipping"]
    if isinstance(clips, (int, float)):
        yield Pair("clipping", norm, clips if 0 < clips < float("inf") else None)
    if not isinstance(plan.accumulation.steps.value, Decided):
        yield Pair("accumulation", plan.accumulation.steps.value, config["gradient_accumulation_steps"])
    mode = "bf16" if config["bf16.enabled"] else "fp16" if config["fp16.enabled"] else None
    compute = plan.precision.compute.value
    if plan.precision.autocast.value is None:
        ours = "bf16" if compute == "fp8" else compute if compute in ("bf16", "fp16") else None
        yield Pair("precision", ours, mode)
