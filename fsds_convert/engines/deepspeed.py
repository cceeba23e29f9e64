"""DeepSpeed: settings <-> plan. The keys are those of its JSON; the inline form is another spelling of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fsds_convert.engines import deepspeed_precision as precision
from fsds_convert.engines import parallelism
from fsds_convert.engines.fields import fixed, lift, word
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.coerce import coerce
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import Decided, Setting, Settings
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Row

TABLES = ("accelerate", "deepspeed-inline", "deepspeed-json", "parallelism", "dynamo", "fp8")
STAGE = "zero_optimization.stage"
CLIPPING = "gradient_clipping"
ACCUMULATION = "gradient_accumulation_steps"
_GATHER = "zero_optimization.stage3_gather_16bit_weights_on_model_save"
_ZERO_INIT = "deepspeed_config.zero3_init_flag"
_FILE = "deepspeed_config.deepspeed_config_file"
_AUTOTP = "tensor_parallel.autotp_size"
_BATCH_KEYS = {
    "train_micro_batch_size_per_gpu": "batch.micro_batch_size",
    "train_batch_size": "batch.train_batch_size",
}


def fields(settings: Settings, context: Context) -> dict[str, Setting[Any]]:
    """The plan fields of effective DeepSpeed settings."""
    found = {**fixed("deepspeed"), **lift("deepspeed", map(load_table, TABLES), settings)}
    stage = settings[STAGE]
    found["clipping.max_norm"] = _clipping(settings[CLIPPING], context)
    found["accumulation.steps"] = _script_if_auto(settings[ACCUMULATION])
    found["checkpoint.state_dict_type"] = _state_dict_type(settings.get(_GATHER), stage)
    tensor = found["parallelism.tensor"]  # autotp_size 0: off
    found["parallelism.tensor"] = tensor.lift(max(1, tensor.value or 1), max(1, tensor.intent or 1))
    found |= _compile(settings, found)
    found |= {path: _script_if_auto(found[path]) for path in _BATCH_KEYS.values()}
    found |= precision.fields(settings, context) | _launcher(found) | parallelism.idle("deepspeed", found)
    return found


def _script_if_auto(setting: Setting[Any]) -> Setting[Any]:
    def by(value: Any) -> Any:
        return Decided.BY_SCRIPT if value in ("auto", None) else value

    return setting.lift(by(setting.value), by(setting.intent))


def _clipping(setting: Setting[Any], context: Context) -> Setting[Any]:
    """ "auto" is 1.0 for a plain script (accelerate/accelerator.py:2224) and max_grad_norm under Trainer."""
    auto: Any = Decided.BY_SCRIPT if context.consumer == "trainer" else 1.0

    def norm(value: Any) -> Any:
        if value == "auto":
            return auto
        return value if isinstance(value, (int, float)) and 0 < value < float("inf") else None

    return setting.lift(norm(setting.value), norm(setting.intent))


def _state_dict_type(gather: Setting[Any] | None, stage: Setting[Any]) -> Setting[Any]:
    """Below stage 3 every rank has the whole model; at stage 3 only the gathering flag gives one (B.4)."""

    def kind(at_stage: Any, gathers: Any) -> str:
        return "full" if at_stage != 3 or gathers is True else "sharded"

    if gather is None or stage.value != 3:
        return stage.lift(kind(stage.value, gather and gather.value), kind(stage.intent, gather and gather.intent))
    return gather.lift(kind(stage.value, gather.value), kind(stage.intent, gather.intent))


def _compile(settings: Settings, found: dict[str, Setting[Any]]) -> dict[str, Setting[Any]]:
    """dynamo_config is not exported for DeepSpeed, but says what was meant."""
    meant = {}
    for row in load_table("dynamo"):
        setting = settings.get(row.key)
        if row.field and setting is not None and setting.is_written and not row.replaced_by:
            value = found[row.field].value
            meant[row.field] = Setting(
                value, word(row, _spelled(row, setting)), row.key, setting.written, setting.origin, setting.note
            )
    return meant


def _spelled(row: Row, setting: Setting[Any]) -> Any:
    return coerce(row, setting.written).intent


def _launcher(found: dict[str, Setting[Any]]) -> dict[str, Setting[Any]]:
    """The multi-node launcher matters only with several machines; without a YAML it is whatever starts the job."""
    machines, launcher = found["topology.num_machines"].value, found["topology.multinode_launcher"]
    if not isinstance(machines, int) or machines <= 1:
        return {"topology.multinode_launcher": launcher.lift(None, None, "one machine")}
    return {}


@dataclass(frozen=True)
class BatchSizes:
    """Samples to an optimizer step over all ranks, and what they are made of."""

    train: int
    micro: int
    steps: int
    ranks: int

    @property
    def consistent(self) -> bool:
        """Whether DeepSpeed accepts them (deepspeed/runtime/config.py:602)."""
        return self.train == self.micro * self.steps * self.ranks


def batch_sizes(plan: TrainingPlan) -> BatchSizes | None:
    """The batch arithmetic of a plan; None unless all four numbers are given."""
    sizes = (plan.batch.train_batch_size, plan.batch.micro_batch_size, plan.accumulation.steps)
    numbers = [setting.value for setting in (*sizes, plan.topology.num_processes)]
    if not all(isinstance(number, int) for number in numbers):
        return None
    train, micro, steps, processes = (int(str(number)) for number in numbers)
    return BatchSizes(train, micro, steps, processes // plan.parallelism.sequence.value)


def settings_of(plan: TrainingPlan, values: dict[str, Any]) -> dict[str, Any]:
    """Adds to the values spelled by the rows: clipping, accumulation, precision, and what stage 3 alone reads."""
    values = {**values, **precision.settings_of(plan)}
    values.pop(_FILE, None)  # whether there is a JSON is the writer's business
    stage = values[STAGE]
    if plan.parallelism.sequence.value == 1:
        values = parallelism.without_parallelism(values)
    if values.get(_AUTOTP) == 1:
        del values[_AUTOTP]
    norm, steps = plan.clipping.max_norm.value, plan.accumulation.steps.value
    values[CLIPPING] = "auto" if norm is Decided.BY_SCRIPT else 0.0 if norm is None else norm
    values[ACCUMULATION] = "auto" if steps is Decided.BY_SCRIPT else steps
    for key, path in _BATCH_KEYS.items():
        batch = plan.get(path).value
        values[key] = "auto" if isinstance(batch, Decided) else batch
    if stage == 3:
        values[_ZERO_INIT] = True
    else:
        values.pop(_GATHER, None)
    return values
