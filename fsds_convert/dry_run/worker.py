"""One process of a dry run: `accelerate launch ... --module fsds_convert.dry_run.worker JOB`."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from fsds_convert.dry_run import checkpoints, environment
from fsds_convert.dry_run.job import Job, job_of
from fsds_convert.dry_run.model import batches, dtype_name, load_model
from fsds_convert.dry_run.observe import Observer, names


def main(argument: str) -> None:
    """Trains, writes `rankN.json` into the folder of the job, and ends the process."""
    job = job_of(argument)
    rank = int(os.environ.get("RANK", "0"))
    status = 0
    document: dict[str, Any] = {"rank": rank, "at": time.time()}
    try:
        document.update(train(job, document))
    except BaseException as error:
        traceback.print_exc()
        document["error"] = {"type": type(error).__name__, "message": str(error), "stage": document.get("stage", "")}
        status = 1
    document["ended"] = time.time()
    if status == 0 and dist.is_initialized() and job.world is None:
        dist.barrier()  # nobody leaves while another still needs it
    _write(Path(job.folder), rank, document)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # the teardown of gloo aborts now and then, after the results are complete


def _write(folder: Path, rank: int, document: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"rank{rank}.json.part"
    part.write_text(json.dumps(document), "utf-8")
    part.rename(folder / f"rank{rank}.json")


def train(job: Job, document: dict[str, Any]) -> dict[str, Any]:
    """The training itself; `document["stage"]` says how far it came."""
    document["stage"] = "Accelerator()"
    if job.world is not None:
        _fake_world(job.world)
    accelerator = environment.start(job)
    torch.manual_seed(job.seed)
    document["stage"] = "loading the model"
    model = load_model(job)
    if job.frozen:
        _freeze(model)
    if job.activation_checkpointing:
        model.gradient_checkpointing_enable()
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    observer = Observer(accelerator)
    observer.loaded(model)
    losses = _LossRecorder(model)
    document["stage"] = "accelerator.prepare()"
    data = batches(job, accelerator.num_processes, 2 * job.steps * (job.accumulation or 8))
    model, optimizer, data = _prepare(accelerator, model, data, job)
    observer.prepared(model, optimizer)
    document["stage"] = "training"
    loop = _Loop(accelerator, model, optimizer, data, job, observer, losses)
    started = time.time()
    loop.run(job.steps)
    seconds = time.time() - started
    observer.finished(model)
    document["stage"] = "get_state_dict"
    saved = None if job.world is not None else _saved(accelerator, model, trained)
    if saved:
        observer.stages["saved"] = saved
    result = {
        "engine": str(accelerator.distributed_type).split(".")[-1],
        "processes": accelerator.num_processes,
        "device": str(accelerator.device),
        "accumulation": accelerator.gradient_accumulation_steps,
        "stages": observer.stages,
        "buffers_loaded": observer.buffers_loaded,
        "collectives": observer.spy.collectives(),
        "losses": [] if job.world is not None else loop.losses,
        "norms": loop.norms,
        "steps": observer.steps[: job.steps],
        "over_all_ranks": _over_all_ranks(observer.steps[: job.steps], accelerator),
        "asked_steps": job.steps,
        "skipped": loop.skipped,
        "trainable": observer.trainable,
        "total": observer.total,
        "updated": observer.updated,
        "sampled": observer.sampled,
        "held": observer.held,
        "seconds": seconds,
    }
    if job.checkpoint:
        document["stage"] = "checkpoint"
        result["checkpoint"] = checkpoints.round_trip(accelerator, model, optimizer, loop, job)
    document["stage"] = "a micro step without reduction"
    loop.accumulate()
    document["stage"] = ""
    return result


def _over_all_ranks(steps: list[dict[str, float]], accelerator: Any) -> list[list[float]]:
    """Squares of the gradients and elements of each step, summed: no machine sees what the others wrote."""
    sums = torch.tensor([[step["squares"], step["elements"]] for step in steps], dtype=torch.float64)
    sums = sums.to(accelerator.device)
    if dist.is_initialized() and len(steps):
        dist.all_reduce(sums)
    found: list[list[float]] = sums.tolist()
    return found


def _fake_world(processes: int) -> None:
    """A group of that many ranks in one process: collectives do nothing, all that is decided from the group is real."""
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=processes)


def _freeze(model: Any) -> None:
    """The first half of the layers and the embeddings, as PEFT leaves a base model."""
    layers = next(module for module in model.modules() if isinstance(module, torch.nn.ModuleList))
    model.get_input_embeddings().weight.requires_grad_(False)
    for layer in list(layers)[: len(layers) // 2]:
        layer.requires_grad_(False)


def _prepare(accelerator: Any, model: Any, data: Any, job: Job) -> tuple[Any, Any, Any]:
    """FSDP1 wants the optimizer made of the wrapped model, as the Trainer makes it; the others take both."""

    def optimizer_of(model: Any) -> Any:
        chosen = job.optimizer
        trained = [each for each in model.parameters() if each.requires_grad]
        return torch.optim.AdamW(
            trained, lr=chosen.lr, betas=chosen.betas, eps=chosen.eps, weight_decay=chosen.weight_decay
        )

    kind = str(accelerator.distributed_type).split(".")[-1]
    if kind == "FSDP" and not accelerator.is_fsdp2:
        model = accelerator.prepare(model)
        optimizer, data = accelerator.prepare(optimizer_of(model), data)
        return model, optimizer, data
    prepared: tuple[Any, Any, Any] = accelerator.prepare(model, optimizer_of(model), data)
    return prepared


def _saved(accelerator: Any, model: Any, trained: set[str]) -> str:
    """The dtype of the trained weights that `accelerator.get_state_dict` gives on rank 0; none where it refuses."""
    try:
        state = accelerator.get_state_dict(model)
    except ValueError:  # ZeRO-3 without stage3_gather_16bit_weights_on_model_save
        return "none"
    return names(tensor for name, tensor in state.items() if name in trained) if state else ""


class _LossRecorder:
    """The loss where the model computes it: FSDP2 casts what the model returns to the dtype of its output."""

    def __init__(self, model: Any) -> None:
        self.last = float("nan")
        self.inside = hasattr(model, "loss_function")
        if self.inside:
            compute = model.loss_function

            def recorded(*args: Any, **kwargs: Any) -> Any:
                loss = compute(*args, **kwargs)
                self.last = float(loss.detach().float())
                return loss

            model.loss_function = recorded


class _Loop:
    """The loop of a plain script: accumulate, backward, clip, step."""

    def __init__(
        self,
        accelerator: Any,
        model: Any,
        optimizer: Any,
        data: Any,
        job: Job,
        observer: Observer,
        losses: _LossRecorder,
    ) -> None:
        self.accelerator, self.model, self.optimizer, self.job = accelerator, model, optimizer, job
        self.observer, self.recorder = observer, losses
        self.data = iter(data)
        self.losses: list[float] = []
        self.norms: list[float | None] = []
        self.skipped = 0
        self.engine = model if hasattr(model, "get_global_grad_norm") else None

    def run(self, steps: int, batches: list[Any] | None = None, seen: list[Any] | None = None) -> None:
        """That many optimizer steps, on the next batches or on given ones."""
        self.model.train()
        given = iter(batches) if batches is not None else None
        for _ in range(steps):
            watched = not self.losses
            if watched:
                with self.observer.spy:
                    self._step(given, seen)
            else:
                self._step(given, seen)
            self.observer.end_of_step()
            print(f"step {len(self.losses)} loss {self.losses[-1]:.6f}", flush=True)

    def _step(self, given: Any, seen: list[Any] | None) -> None:
        total = 0.0
        steps = self.accelerator.gradient_accumulation_steps
        for _ in range(steps):
            batch = next(given) if given is not None else next(self.data)
            if seen is not None:
                seen.append(batch)
            with self.accelerator.accumulate(self.model):
                total += self._micro_step(batch) / steps
        mean = torch.tensor([total], dtype=torch.float64, device=self.accelerator.device)
        self.observer.spy.phase = "observer"
        if dist.is_initialized():
            dist.all_reduce(mean)
        self.losses.append(float(mean) / self.accelerator.num_processes)

    def _micro_step(self, batch: Any) -> float:
        spy = self.observer.spy
        spy.phase = "forward"
        output = self.model(input_ids=batch, labels=batch)
        self.observer.stages.setdefault("output", dtype_name(output.logits.dtype))
        loss = self.recorder.last if self.recorder.inside else float(output.loss.detach().float())
        spy.phase = "backward"
        self.accelerator.backward(output.loss)
        if not self.accelerator.sync_gradients:
            self.observer.waiting(self.model)
        else:
            if self.engine is None:
                self.observer.at_rest(self.model)
                spy.phase = "clip"
                if self.job.max_norm is not None:
                    self.norms.append(
                        _number(self.accelerator.clip_grad_norm_(self.model.parameters(), self.job.max_norm))
                    )
            else:
                self.norms.append(_number(self.engine.get_global_grad_norm()))
        spy.phase = "step"
        self.optimizer.step()
        self.optimizer.zero_grad()
        if self.accelerator.sync_gradients and self.accelerator.optimizer_step_was_skipped:
            self.skipped += 1
        return loss

    def accumulate(self) -> None:
        """A micro step that is not the last one, to see what gradients wait in; the engine of DeepSpeed was seen."""
        if "accumulation" in self.observer.stages:
            return
        with self.accelerator.no_sync(self.model):
            batch = next(self.data)
            self.accelerator.backward(self.model(input_ids=batch, labels=batch).loss)
            self.observer.waiting(self.model)


def _number(norm: Any) -> float | None:
    if norm is None:
        return None
    return float(norm.full_tensor() if hasattr(norm, "full_tensor") else norm)


if __name__ == "__main__":
    main(sys.argv[1])
