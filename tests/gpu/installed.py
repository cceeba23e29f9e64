"""What the machine has, into the results: releases, the GPU, whether fsds sees it."""

from __future__ import annotations

import argparse
import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version

from fsds_convert.dry_run.machine import missing_packages, this_machine
from tests.gpu.launches import Results

PACKAGES = ("torch", "accelerate", "deepspeed", "transformers")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def main() -> None:
    """Prints and keeps it; a missing package is named, and ends with status 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", default="gpu-results.json")
    results = Results(parser.parse_args().results)
    machine, why = this_machine()
    missing = missing_packages(deepspeed=True)
    found = {"python": platform.python_version(), **{name: _version(name) for name in PACKAGES}}
    if "torch" not in missing:
        import torch

        found["cuda"] = torch.version.cuda
        found["gpu"] = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    for name, value in {**found, "seen by fsds": asdict(machine), "missing": missing, "why not": why}.items():
        results.put("installed", name, value)
        print(f"  {name}: {value}", flush=True)
    if missing:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
