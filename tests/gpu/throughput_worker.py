"""One process of a throughput training: `accelerate launch ... --module tests.gpu.throughput_worker JOB`."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from fsds_convert.dry_run import environment
from fsds_convert.dry_run.job import Job, job_of

WARM_UP = 5
# dense bf16, without sparsity, in FLOP/s, as the vendor's datasheets have it
PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12}


def main(argument: str) -> None:
    """Trains and writes `throughput.json` into the folder of the job."""
    job = job_of(argument)
    accelerator = environment.start(job)
    cuda = accelerator.device.type == "cuda"
    model = _model(job, accelerator.device)
    # before prepare(): the engine of DeepSpeed has another `config`
    flops, parameters = flops_per_token(model.config, job.sequence_length), sum(p.numel() for p in model.parameters())
    tokens = model.config.vocab_size
    model, optimizer = _prepared(accelerator, model, job)
    shape = (job.sequences, job.batch_size, job.sequence_length)
    data = torch.randint(0, tokens, shape, device=accelerator.device)
    times, losses = [], []
    for step in range(WARM_UP + job.steps):
        if cuda:
            torch.cuda.synchronize()
        began = time.perf_counter()
        batch = data[step % job.sequences]
        loss = model(input_ids=batch, labels=batch).loss
        accelerator.backward(loss)
        if job.max_norm is not None:
            accelerator.clip_grad_norm_(model.parameters(), job.max_norm)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(float(loss.detach()))  # waits for the device
        if cuda:
            torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
        print(f"step {step} loss {losses[-1]:.4f} {times[-1]:.3f} s", flush=True)
    name = torch.cuda.get_device_name() if cuda else "cpu"
    peak = next((value for chip, value in PEAKS.items() if chip in name), None)
    step_time = statistics.median(times[WARM_UP:])
    per_second = job.batch_size * job.sequence_length / step_time
    found = {
        "device": name,
        "tokens_per_second": per_second,
        "step_time": step_time,
        "step_times": times[WARM_UP:],
        "mfu": per_second * flops / peak if peak else None,
        "peak_flops": peak,
        "flops_per_token": flops,
        "parameters": parameters,
        "tokens_per_step": job.batch_size * job.sequence_length,
        "peak_memory_bytes": torch.cuda.max_memory_allocated() if cuda else None,
        "optimizer": type(_innermost(optimizer)).__name__,
        "losses": losses,
    }
    (Path(job.folder) / "throughput.json").write_text(json.dumps(found), "utf-8")
    sys.stdout.flush()
    os._exit(0)  # as the worker of a dry run: the teardown is not measured


def flops_per_token(config: Any, sequence_length: int) -> float:
    """Forward and backward: 6 for each weight of a matrix product, and 12 * layers * width * length for attention."""
    width, layers = config.hidden_size, config.num_hidden_layers
    keys = 2 * width * config.num_key_value_heads * (width // config.num_attention_heads)
    layer = 2 * width * width + keys + 3 * width * config.intermediate_size
    return float(6 * (layers * layer + width * config.vocab_size) + 12 * layers * width * sequence_length)


def _model(job: Job, device: Any) -> Any:
    """Random weights, made where they are trained: in bf16, as a checkpoint is loaded."""
    config = LlamaConfig.from_json_file(str(job.model))
    before = torch.get_default_dtype()
    torch.manual_seed(job.seed)
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device(device):
            return LlamaForCausalLM(config).train()
    finally:
        torch.set_default_dtype(before)


def _prepared(accelerator: Any, model: Any, job: Job) -> tuple[Any, Any]:
    """As the worker of a dry run: FSDP1 wants the optimizer made of the wrapped model."""
    if str(accelerator.distributed_type).endswith("DEEPSPEED"):
        accelerator.state.deepspeed_plugin.deepspeed_config["train_micro_batch_size_per_gpu"] = job.batch_size
    elif not accelerator.is_fsdp2:
        model = accelerator.prepare(model)
        return model, accelerator.prepare(_optimizer(model, job))
    prepared: tuple[Any, Any] = accelerator.prepare(model, _optimizer(model, job))
    return prepared


def _optimizer(model: Any, job: Job) -> Any:
    """Torch's AdamW in one kernel, else DeepSpeed's."""
    numbers = {"lr": job.optimizer.lr, "weight_decay": job.optimizer.weight_decay}
    if job.name.endswith("FusedAdam"):
        from deepspeed.ops.adam import FusedAdam

        return FusedAdam(model.parameters(), **numbers)
    return torch.optim.AdamW(model.parameters(), **numbers, fused=job.device == "cuda")


def _innermost(optimizer: Any) -> Any:
    while hasattr(optimizer, "optimizer"):
        optimizer = optimizer.optimizer
    return optimizer


if __name__ == "__main__":
    main(sys.argv[1])
