"""Each row of the tables against upstream: every spelling of a key, and values that are none, in each engine.

`cases.yaml` holds, as data, what a key needs beside it, where the two differ, and rows that upstream shows nothing of.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("accelerate")
pytest.importorskip("deepspeed")

from fsds_convert.containers import accelerate_file
from fsds_convert.containers.reading import Reading
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Row

from . import cases, contexts, files
from .ask import Answer
from .questions import TABLES, Question, engines_of, questions

ROWS = [row for name in TABLES for row in load_table(name)]
# what a section, a refused or a removed key does shows in the refusal of its wrong values
_SHOWN_BY_REFUSAL = ("section", "refused")


def row_id(row: Row) -> str:
    return f"{row.table}:{row.key}" + (f"[{','.join(row.engines)}]" if row.engines else "")


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_row(row: Row, tmp_path: Path) -> None:
    """fsds says what upstream does with every value, and upstream shows that the row does something."""
    unseen = list(cases.about("unseen", row))
    if any(entry.get("asked") is False for entry in unseen):
        return
    problems: list[str] = []
    differing = {id(entry): entry for entry in cases.about("differing", row)}
    out_of_date = dict(differing)
    shown = False
    without: dict[str, Answer] = {}
    for question, answer in asked(row, tmp_path):
        shown = shown or shows(row, question, answer, tmp_path, without)
        found = answer.disagreement(row.key, question.value)
        excused = [entry for entry in differing.values() if excuses(entry, question)]
        if found and not excused:
            problems.append(f"{question}: {found}")
        if found:
            for entry in excused:
                out_of_date.pop(id(entry), None)
    problems += [f"cases.yaml: the two agree by now on {entry}" for entry in out_of_date.values()]
    if shown and unseen:
        problems.append("cases.yaml: upstream shows it; take it out of `unseen`")
    if not shown and not unseen:
        problems.append("upstream shows nothing of it: add it to `unseen` in cases.yaml, with what fsds says")
    assert not problems, "\n".join(problems)


def asked(row: Row, folder: Path) -> Iterator[tuple[Question, Answer]]:
    for question in questions(row):
        yield question, question.answer(folder)


def shows(row: Row, question: Question, answer: Answer, folder: Path, without: dict[str, Answer]) -> bool:
    """Whether the key makes a difference to what upstream says, other than a refusal of a wrong value.

    `without` keeps what it says of the same file without the key.
    """
    if answer.refused and not (row.type in _SHOWN_BY_REFUSAL or row.removed):
        return False
    file = f"{question.engine} {question.beside}"
    if file not in without:
        without[file] = question.without(folder)
    return answer.theirs != without[file].theirs


def excuses(entry: cases.Entry, question: Question) -> bool:
    """Whether a difference between the two is on record."""
    values, engines = entry.get("values"), entry.get("engines", (question.engine,))
    return question.engine in engines and (values is None or any(cases.same(question.value, v) for v in values))


@pytest.mark.parametrize("kind", ["needs", "differing", "unseen"])
def test_cases_name_rows(kind: str) -> None:
    """No entry of cases.yaml is about a key that no table has."""
    known = {row.key for row in ROWS}
    above = {key.rpartition(".")[0] for key in known}
    named = [key for entry in cases.entries(kind) for key in cases.keys_of(entry)]
    assert [key for key in named if key not in known and not (kind == "needs" and key in above)] == []


UNSEEN = [(entry, row) for row in ROWS for entry in cases.about("unseen", row)]


@pytest.mark.parametrize(("entry", "row"), UNSEEN, ids=[f"{row_id(row)}" for _, row in UNSEEN])
def test_unseen_row(entry: cases.Entry, row: Row, tmp_path: Path) -> None:
    """What fsds says of a key that upstream shows nothing of, as cases.yaml has it."""
    engine = entry.get("engine", row.engines[0] if row.engines else engines_of(row)[0])
    for value in entry.get("values", ["words"]):
        keys = {**contexts.needed(row, engine), **entry.get("beside", {}), row.key: value}
        json = row.table.startswith("deepspeed-json")
        path = files.write_json(tmp_path, keys) if json else files.write(tmp_path, engine, keys)
        reading = accelerate_file.read(read_source(str(path)), Context())
        assert said(reading, row) == (entry["answer"], entry.get("effective")), value


def said(reading: Reading, row: Row) -> tuple[str, Any]:
    """One word for what fsds says of a key, and the value that it gives for it."""
    names = {found.name for found in reading.findings if f"`{row.name}" in found.message}
    setting = reading.settings.get(row.json or row.key)
    value = list(setting.value) if setting and isinstance(setting.value, tuple) else setting and setting.value
    if names & {"value-refused", "removed-key-refused", "unknown-key-refused"}:
        return "refused", None
    if names & {"ignored-value", "removed-key-ignored"} or (setting is not None and setting.idle):
        return "ignored", value
    return ("dead", None) if row.type == "dead" else ("read", value)
