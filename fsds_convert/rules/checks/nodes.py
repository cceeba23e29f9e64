"""Processes, machines and where they meet: numbers that only mean something together."""

from __future__ import annotations

from collections.abc import Iterator

from fsds_convert.diagnostics import Change
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.match import Check, Match

# started by Accelerate itself, without torchrun (accelerate/commands/launch.py:1390)
ONE_PROCESS = ("NO", "MULTI_CPU")
_LOOPBACK = ("localhost", "127.0.0.1", "::1", "0.0.0.0")


def machines(facts: Facts) -> int:
    """The number of machines; 1 where it is no number, and for 0, which launches as one."""
    value = facts.runs("num_machines")
    return max(1, value) if isinstance(value, int) and not isinstance(value, bool) else 1


def processes(facts: Facts) -> int | None:
    """The number of processes over all machines, where it is a number that the launcher divides."""
    setting = facts.setting("num_processes")
    if setting is None or isinstance(setting.written, str) or not isinstance(setting.value, int) or setting.value < 1:
        return None
    return setting.value


def by_torchrun(facts: Facts) -> bool:
    """Whether torchrun starts the processes: not the simple launcher, and none of DeepSpeed's for several machines."""
    if facts.distributed_type in ONE_PROCESS or facts.container != "accelerate":
        return False
    launcher = facts.setting("deepspeed_config.deepspeed_multinode_launcher")
    standard = launcher is not None and launcher.value == "standard" and not launcher.note
    return facts.engine != "deepspeed" or machines(facts) == 1 or standard


def num_processes_missing(facts: Facts) -> Iterator[Match]:
    """-1 stands for no number, and is the default but for NO (accelerate/commands/launch.py:1305)."""
    setting = facts.setting("num_processes")
    if facts.context.num_processes is not None:
        return
    written = setting is not None and setting.is_written
    missing = setting is None or setting.value == -1
    if missing and (written or facts.distributed_type != "NO"):
        what = "`num_processes: -1` is no number of processes" if written else "the file does not say `num_processes`"
        yield Match({"what": what})


def num_processes_is_text(facts: Facts) -> Iterator[Match]:
    """Compared where Accelerate starts the script itself, divided where there are several machines."""
    setting = facts.setting("num_processes")
    if setting is None or not isinstance(setting.written, str):
        return
    error = "'>' not supported between instances of 'str' and 'int'"
    if facts.distributed_type not in ONE_PROCESS:
        if machines(facts) < 2:
            return
        error = "unsupported operand type(s) for //: 'str' and 'int'"
    changes = (Change("set", setting.origin.path, int(setting.written)),) if setting.written.isdigit() else ()
    yield Match({"error": error}, changes=changes)


def address_missing(facts: Facts) -> Iterator[Match]:
    """What the simple launcher asserts of several machines (accelerate/utils/launch.py:142)."""
    if facts.distributed_type not in ONE_PROCESS or machines(facts) < 2:
        return
    for key, words in (("main_process_ip", "main process IP"), ("main_process_port", "main process port")):
        if facts.source.data.get(key) is None and getattr(facts.context, key) is None:
            yield Match({"missing": key, "said": words})


def fewer_processes_than_machines(facts: Facts) -> Iterator[Match]:
    """No process a machine, which torchrun does not take."""
    count = processes(facts)
    if count is not None and by_torchrun(facts) and count < machines(facts):
        yield Match({"processes": count, "machines": machines(facts)})


def processes_left_over(facts: Facts) -> Iterator[Match]:
    """num_processes // num_machines drops the rest."""
    count, nodes = processes(facts), machines(facts)
    if count is None or nodes < 1 or facts.distributed_type in ONE_PROCESS or count < nodes or count % nodes == 0:
        return
    yield Match({"processes": count, "machines": nodes, "each": count // nodes, "started": count // nodes * nodes})


def no_meeting_point(facts: Facts) -> Iterator[Match]:
    """torchrun gets the text `{ip}:{port}`, whatever the address is."""
    if machines(facts) < 2 or not by_torchrun(facts):
        return
    address = facts.runs("main_process_ip")
    port = facts.runs("main_process_port")
    if address is None:
        said = f"the rendezvous endpoint is the text `None:{port}`, and every node waits for a host of that name"
        yield Match({"what": "without `main_process_ip`", "happens": said})
    elif address == "":
        said = (
            f"ValueError: The hostname of the rendezvous endpoint ':{port}' must be a dot-separated list of labels, ..."
        )
        yield Match({"what": "with an empty `main_process_ip`", "happens": said})
    elif address in _LOOPBACK:
        said = "every node but the first waits for itself, until torchrun gives up"
        yield Match({"what": f"that meet at `{address}`", "happens": said})


def rank_out_of_range(facts: Facts) -> Iterator[Match]:
    """A node that has no place among the machines."""
    rank, nodes = facts.runs("machine_rank"), machines(facts)
    if nodes > 1 and by_torchrun(facts) and isinstance(rank, int) and not 0 <= rank < nodes:
        yield Match({"rank": rank, "machines": nodes, "last": nodes - 1})


def one_rank_for_all(facts: Facts) -> Iterator[Match]:
    """A file that several nodes read says the same rank to each."""
    given = facts.context.machine_rank is not None
    if machines(facts) > 1 and by_torchrun(facts) and facts.runs("machine_rank") == 0 and not given:
        yield Match({"machines": machines(facts), "last": machines(facts) - 1})


def port_by_default(facts: Facts) -> Iterator[Match]:
    """29500 on every machine."""
    given = facts.context.main_process_port is not None or facts.source.data.get("main_process_port") is not None
    if machines(facts) > 1 and facts.distributed_type not in ONE_PROCESS and not given:
        yield Match({"machines": machines(facts)})


def devices_against_processes(facts: Facts) -> Iterator[Match]:
    """The launcher does not compare CUDA_VISIBLE_DEVICES with the processes that it starts."""
    setting, count = facts.setting("gpu_ids"), processes(facts)
    ids = setting.value if setting is not None and not setting.note else None
    if not isinstance(ids, str) or ids == "all" or count is None or not by_torchrun(facts):
        return
    devices, each = len(ids.split(",")), count // machines(facts)
    alone = facts.engine == "ddp" and devices == 1 and machines(facts) == 1
    if devices == each or each < 1 or alone:  # one device is refused by another rule
        return
    said = (
        f"{devices - each} of them stay idle"
        if devices > each
        else "the others fail with CUDA error: invalid device ordinal"
    )
    yield Match({"devices": devices, "each": each, "happens": said})


def hybrid_groups_of_one(facts: Facts) -> Iterator[Match]:
    """One process a node leaves nothing to shard over within it (torch/distributed/fsdp/_init_utils.py:430)."""
    count, nodes = processes(facts), machines(facts)
    each = facts.context.gpus_per_node or (count // nodes if count else 0)
    if nodes > 1 and each == 1:
        yield Match()


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        num_processes_missing,
        num_processes_is_text,
        address_missing,
        fewer_processes_than_machines,
        processes_left_over,
        no_meeting_point,
        rank_out_of_range,
        one_rank_for_all,
        port_by_default,
        devices_against_processes,
        hybrid_groups_of_one,
    )
}
