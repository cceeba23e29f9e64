"""What was read from a file: settings, the plan that runs, the plan that was meant, and what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsds_convert.diagnostics import Diagnostic, Severity
from fsds_convert.engines.fields import Engine
from fsds_convert.errors import InputError, TableError
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.rules.facts import Facts
from fsds_convert.settings.setting import Settings
from fsds_convert.syntax.source import Source

Container = Literal["accelerate", "deepspeed-json"]


@dataclass(frozen=True)
class Reading:
    """A file as its consumer reads it.

    `runs` is the plan that will run, `intent` what the file asks for. `findings` are those of the syntax, of the
    tables, and of the rules that upstream enforces; `facts` is what all other rules are asked with.
    """

    source: Source
    container: Container
    engine: Engine
    settings: Settings
    findings: tuple[Diagnostic, ...]
    facts: Facts

    @property
    def runs(self) -> TrainingPlan:
        """The plan that will run; raises TableError when the file was read without one."""
        if self.facts.plan is None:
            raise TableError("a file was read that has no plan")
        return self.facts.plan

    @property
    def deepspeed_file(self) -> Source | None:
        """The JSON that an Accelerate file names, when it was found."""
        return self.facts.deepspeed_file

    @property
    def deepspeed_path(self) -> str | None:
        """The name of that JSON as written."""
        return self.facts.deepspeed_path

    @property
    def intent(self) -> TrainingPlan:
        """The plan as if every written value did what it says."""
        intended = self.runs.with_fields({path: setting.intended() for path, setting in self.runs.items()})
        return intended

    @property
    def launches(self) -> bool:
        """Whether nothing was found that upstream refuses."""
        return all(found.severity is not Severity.ERROR for found in self.findings)

    def require_deepspeed_file(self) -> None:
        """Raises InputError when the DeepSpeed JSON that the file names was not read: its settings are not known."""
        if self.deepspeed_path is not None and self.deepspeed_file is None:
            why = next(found for found in self.findings if found.name == "deepspeed-file-not-found")
            raise InputError(str(why.place), why.message, why.help)

    @property
    def dialect(self) -> str:
        """The dialect's name: accelerate-fsdp1, accelerate-deepspeed, deepspeed-json and the like."""
        return "deepspeed-json" if self.container == "deepspeed-json" else f"accelerate-{self.engine}"
