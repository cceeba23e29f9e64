"""One file -> what is wrong in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fsds_convert.containers import accelerate_file, deepspeed_json, trainer_args, trainer_fsdp
from fsds_convert.containers.detect import Kind, kind_to_lint
from fsds_convert.containers.reading import Reading
from fsds_convert.containers.syntax_findings import syntax_findings
from fsds_convert.containers.trainer_fsdp import TrainerReading
from fsds_convert.diagnostics import Diagnostic, Place, finding
from fsds_convert.errors import InputError
from fsds_convert.rules.catalog import catalog
from fsds_convert.rules.facts import Facts
from fsds_convert.rules.find import advice
from fsds_convert.rules.table_advice import table_advice
from fsds_convert.settings.context import Context
from fsds_convert.syntax.source import Source


@dataclass(frozen=True)
class Checked:
    """A file with its findings in the order of the text; `facts` is None where no engine could be told."""

    source: Source
    kind: str
    findings: tuple[Diagnostic, ...]
    facts: Facts | None = None


def check(source: Source, context: Context) -> Checked | None:
    """Everything that is found in a file; None when it is no config."""
    if not isinstance(source.data, dict):
        return Checked(source, "", syntax_findings(source)) if speaks_of_training(source.text) else None
    kind = kind_to_lint(source)
    if kind is None:
        return None
    try:
        reading = _READ[kind](source, context)
    except InputError as error:
        return Checked(source, kind, (*syntax_findings(source), _not_covered(source, error)))
    told = (*reading.findings, *table_advice(reading.facts), *advice(reading.facts))
    found = _uncovered(each for each in told if not _rests_on_missing_file(each, reading.facts))
    return Checked(source, kind, tuple(sorted(found, key=lambda each: in_order(each, source.name))), reading.facts)


_READ: dict[Kind, Callable[[Source, Context], Reading | TrainerReading]] = {
    "accelerate": accelerate_file.read,
    "deepspeed-json": deepspeed_json.read,
    "trainer-fsdp": trainer_fsdp.read,
    "trainer-args": trainer_args.read,
}


_ABOUT_DEEPSPEED = ("rules-deepspeed", "rules-deepspeed-json", "rules-script")


def _rests_on_missing_file(found: Diagnostic, facts: Facts) -> bool:
    """Whether it depends on a DeepSpeed JSON that is not here: nobody knows the stage, nor what has an effect."""
    if facts.deepspeed_path is None or facts.deepspeed_file is not None:
        return False
    rule = catalog()[found.code]
    if rule.table in _ABOUT_DEEPSPEED:
        return rule.name != "inline-key-next-to-deepspeed-file"
    section, span = facts.source.values.get(("deepspeed_config",)), found.place.span
    inside = section is not None and span is not None and section.start <= span.start < section.end
    return rule.name in ("name-says-otherwise", "default-depends-on-release") or (
        rule.name == "ignored-value" and inside
    )


def _uncovered(told: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Without those that another rule tells better, at the same place."""
    found = list(told)
    covered = {(code, str(each.place)) for each in found for code in catalog()[each.code].covers}
    return [each for each in found if (each.code, str(each.place)) not in covered]


def is_config(source: Source) -> bool:
    """Whether a file is checked at all, by its content."""
    if not isinstance(source.data, dict):
        return speaks_of_training(source.text)
    return kind_to_lint(source) is not None


# a key at the start of a line, or in the quotes of JSON: not the text of a ConfigMap, a notebook or a documentation
_KEYS = r"(?:distributed_type|fsdp_config|deepspeed_config|zero_optimization|compute_environment)"
_SPEAKS = re.compile(rf"^(?:- )?[\"']?{_KEYS}[\"']?\s*:|\"{_KEYS}\"\s*:", re.MULTILINE)


def speaks_of_training(text: str) -> bool:
    """Whether a text that cannot be parsed seems to be a config all the same."""
    return _SPEAKS.search(text) is not None


def _not_covered(source: Source, error: InputError) -> Diagnostic:
    key = next((name for name in ("compute_environment", "distributed_type") if f"`{name}:" in error.message), "")
    place = Place(source.name, source.values.get((key,)))
    kind = "compute-environment-not-local" if key == "compute_environment" else "launch-not-covered"
    return finding(kind, error.message.removeprefix(f"{error.path}: "), place, help=error.hint)


def in_order(found: Diagnostic, name: str) -> tuple[bool, str, int, str]:
    """What findings are sorted by: those in the file itself first, each file's in the order of the text."""
    span = found.place.span
    return found.place.name != name, found.place.name, span.start if span else 0, found.code
