"""The plan of one engine -> the nearest plan of another, with a note on every setting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from fsds_convert.engines.fields import Engine
from fsds_convert.engines.parallelism import idle
from fsds_convert.errors import TableError
from fsds_convert.plan.training_plan import TrainingPlan
from fsds_convert.settings.context import Context
from fsds_convert.settings.setting import NOT_WRITTEN, Setting, default, same
from fsds_convert.transfer.choices import CHOICES
from fsds_convert.transfer.keys_without_field import carried_keys, keys_without_field
from fsds_convert.transfer.note import Note, carried, noted
from fsds_convert.transfer.options import Options
from fsds_convert.transfer.route import Choice, Route
from fsds_convert.transfer.rows import Fidelity, advice, transfer, transfers


@dataclass(frozen=True)
class Adapted:
    """The plan for the target, and what became of each setting."""

    plan: TrainingPlan
    notes: tuple[Note, ...]
    advice: tuple[str, ...]


def adapt(plan: TrainingPlan, source: Engine, target: Engine, context: Context, options: Options) -> Adapted:
    """Carries a plan over. The notes come in the order of the plan's fields; then the keys without one."""
    if source == target:
        notes = tuple(carried(path, setting) for path, setting in plan.items())
        return Adapted(plan, notes + carried_keys(plan, source, context.versions), ())
    route = Route(plan, source, target, context, options)
    found: dict[str, Note] = {}
    for path, setting in plan.items():
        if path in found:
            continue
        choice = _choice(route, path, setting)
        found[path] = choice.note
        route.decided[path] = choice.note.after
        for other, value in choice.also.items():
            found[other] = replace(choice.note, field=other, before=route.values[other], after=value)
            route.decided[other] = value
    for path, setting in idle(target, {path: default(value, "") for path, value in route.decided.items()}).items():
        if not same(route.decided[path], setting.value):
            degree = f"parallelism.{path.partition('.')[2].partition('_')[0]}"
            found[path] = replace(found[degree], field=path, before=route.values[path], after=setting.value)
    differing = {path: note for path, note in found.items() if not same(note.after, note.before)}
    changes = {path: _changed(note, plan.get(path)) for path, note in differing.items()}
    kept, dropped = keys_without_field(plan, source, target)
    adapted = replace(plan.with_fields(changes), engine_only=kept)
    ordered = tuple(doubted(found[path], context.consumer) for path, _ in plan.items())
    return Adapted(adapted, (*ordered, *dropped), tuple(_advice(route)))


def _changed(note: Note, setting: Setting[Any]) -> Setting[Any]:
    """The setting of the target: what was dropped counts as not written."""
    changed = replace(setting.lift(note.after, note.after), note="", idle=False)
    return replace(changed, written=NOT_WRITTEN) if note.fidelity is Fidelity.DROPPED else changed


def doubted(note: Note, consumer: str) -> Note:
    """A guess is not converted in silence."""
    if not note.setting.doubtful or note.fidelity is Fidelity.REFUSED:
        return note
    told = noted(transfer("value-not-understood"), note.setting, consumer, note.after)
    return replace(told, field=note.field, before=note.before)


def _choice(route: Route, path: str, setting: Setting[Any]) -> Choice:
    """The first row that matches the field decides, by itself or by the function that it names."""
    consumer = route.context.consumer
    for row in transfers():
        if row.field != path or not row.matches(route.source, route.target, consumer, route.values):
            continue
        if row.chosen_by is None:
            return Choice(noted(row, setting, consumer))
        if row.chosen_by not in CHOICES:
            raise TableError(f"mappings/transfer.yaml: no function is named {row.chosen_by}")
        return CHOICES[row.chosen_by](route, path, setting) or Choice(carried(path, setting))
    return Choice(carried(path, setting))


def _advice(route: Route) -> Iterator[str]:
    for item in advice():
        if (
            route.source in item.sources
            and route.target in item.targets
            and item.consumer in (None, route.context.consumer)
            and all(route.values.get(path) in allowed for path, allowed in item.when.items())
        ):
            yield item.text
