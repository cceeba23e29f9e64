"""The result of a conversion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from fsds_convert.containers.reading import Reading
from fsds_convert.convert.target import Target
from fsds_convert.diagnostics import Diagnostic
from fsds_convert.engines.fields import Engine
from fsds_convert.transfer.adapt import Adapted
from fsds_convert.transfer.note import Note
from fsds_convert.transfer.rows import Fidelity


@dataclass(frozen=True)
class Output:
    """A text to write: the converted file itself, or the DeepSpeed JSON that it names."""

    role: Literal["main", "deepspeed-json"]
    text: str
    comments_lost: bool = False


@dataclass(frozen=True)
class Conversion:
    """What a file became, and what became of each of its settings.

    `outputs` is empty when something was refused. `engine` is what the converted file runs, which is plain DDP where
    the target cannot replicate. `written` leads from a plan field to the key and the value that stand for it.
    """

    reading: Reading
    target: Target
    engine: Engine
    adapted: Adapted
    outputs: tuple[Output, ...]
    findings: tuple[Diagnostic, ...]
    written: dict[str, tuple[str, Any]]
    advice: tuple[str, ...]

    @property
    def worst(self) -> Fidelity:
        """The least faithful of all notes."""
        return max((note.fidelity for note in self.adapted.notes), key=lambda fidelity: fidelity.rank)

    @property
    def refused(self) -> tuple[Note, ...]:
        """The notes on what the target cannot express without changing the training."""
        return tuple(note for note in self.adapted.notes if note.fidelity is Fidelity.REFUSED)

    def output(self, role: str) -> Output | None:
        """The text of a role."""
        return next((output for output in self.outputs if output.role == role), None)
