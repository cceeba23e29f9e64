"""The files of a dry run: the user's, its conversion, and what has to stand beside a DeepSpeed JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from fsds_convert.containers import accelerate_file, deepspeed_json
from fsds_convert.containers.detect import detect
from fsds_convert.containers.reading import Reading
from fsds_convert.convert.convert import convert
from fsds_convert.convert.target import target_of
from fsds_convert.errors import FsdsError
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import STDIN, read_source
from fsds_convert.transfer.options import Options


class Refused(Exception):
    """The conversion refuses: there is no counterpart to train."""


@dataclass(frozen=True)
class ConfigFile:
    """A config that was read, a short name for it, and the path that `accelerate launch` is given."""

    label: str
    path: str
    reading: Reading


def config_file(file: str, stdin_filename: str | None, context: Context, folder: Path) -> ConfigFile:
    """Reads a config; raises InputError when it is none."""
    source = read_source(file, sys.stdin.buffer if file == "-" else None, stdin_filename)
    path = file
    if file == "-":
        path = str(folder / Path(stdin_filename or "stdin.yaml").name)
        Path(path).write_text(source.text, "utf-8")
    read = accelerate_file.read if detect(source) == "accelerate" else deepspeed_json.read
    return _launchable(source.name if file != "-" else stdin_filename or STDIN, path, read(source, context), folder)


def _launchable(label: str, path: str, reading: Reading, folder: Path) -> ConfigFile:
    """Accelerate takes a DeepSpeed JSON through a config file of its own."""
    if reading.container != "deepspeed-json":
        return ConfigFile(label, path, reading)
    processes = reading.runs.topology.num_processes.value
    wrapper = folder / f"{Path(path).stem}.launch.json"
    document = {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": "DEEPSPEED",
        "num_machines": 1,
        "num_processes": processes if isinstance(processes, int) else 2,
        "machine_rank": 0,
        "deepspeed_config": {"deepspeed_config_file": str(Path(path).resolve()), "zero3_init_flag": True},
    }
    wrapper.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    return ConfigFile(label, str(wrapper), reading)


def converted(config: ConfigFile, target: str, context: Context, options: Options, folder: Path) -> ConfigFile:
    """The counterpart; raises Refused with what stands against it."""
    beside = folder / "converted_deepspeed.json"
    conversion = convert(config.reading, target_of(target), context, options, str(beside))
    main, other = conversion.output("main"), conversion.output("deepspeed-json")
    if main is None:
        raise Refused("\n".join(f"{note.field} ({note.code}): {note.reason}" for note in conversion.refused))
    suffix = ".json" if main.text.lstrip().startswith("{") else ".yaml"
    written = folder / f"converted_{target.replace('-', '_')}{suffix}"
    written.write_text(main.text, "utf-8")
    if other is not None:
        beside.write_text(other.text, "utf-8")
    made = config_file(str(written), None, _launch_context(context, config.reading), folder)
    return replace(made, label=f"converted to {target}")


def _launch_context(context: Context, reading: Reading) -> Context:
    """A DeepSpeed JSON does not say how many processes the other file has."""
    processes = reading.runs.topology.num_processes.value
    known = context.num_processes or (processes if isinstance(processes, int) else None)
    return replace(context, num_processes=known)


def config_files(
    file: str,
    against: str | None,
    to: str | None,
    stdin_filename: str | None,
    context: Context,
    options: Options,
    folder: Path,
) -> tuple[ConfigFile, ...]:
    """One or two configs; raises Refused where --to is not possible."""
    if file == against == "-":
        raise FsdsError("stdin can be read only once", "give a file for one of the two")
    first = config_file(file, stdin_filename, context, folder)
    if against is not None:
        return first, config_file(against, stdin_filename, context, folder)
    if to is not None:
        return first, converted(first, to, context, options, folder)
    return (first,)
