"""`# fsds: ignore[...]`: which findings it stands for, what is wrong with it, and what --add-ignore writes."""

from __future__ import annotations

import pytest

from fsds_convert.diagnostics import Severity
from fsds_convert.lint.add_ignore import add_ignore
from fsds_convert.lint.lint_file import fix, lint
from fsds_convert.lint.outcome import FileReport
from fsds_convert.lint.select import Selection
from fsds_convert.settings.context import Context
from fsds_convert.syntax.source import load

SELECTION = Selection(select=("FSDS0", "FSDS101", "FSDS102"), severity=Severity.INFO)
HEAD = "distributed_type: FSDP\nnum_processes: 8\n"
BODY = "fsdp_config:\n  fsdp_version: 2\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"


def report(text: str, name: str = "train.yaml") -> FileReport:
    found = lint(load(text.encode(), name), Context(), SELECTION)
    assert found is not None
    return found


def told(text: str) -> list[str]:
    """`LINE CODE` of each finding."""
    places = ((finding.diagnostic.place.span, finding.diagnostic.code) for finding in report(text).findings)
    return [f"{span.line if span else 0} {code}" for span, code in places]


# name of the case: lines below `fsdp_version: 2`, and what is still found; the wrong key stands on line 5 unless said
CASES: dict[str, tuple[str, list[str]]] = {
    "none": ("  fsdp_x: 1\n", ["5 FSDS102"]),
    "on the line": ("  fsdp_x: 1 # fsds: ignore[FSDS102] why\n", []),
    "by name": ("  fsdp_x: 1 # fsds: ignore[unknown-key-ignored] why\n", []),
    "without a blank": ("  fsdp_x: 1 #fsds:ignore[FSDS102]why\n", []),
    "behind another comment": ("  fsdp_x: 1 # one # fsds: ignore[FSDS102] why\n", []),
    "above": ("  # fsds: ignore[FSDS102] why\n  fsdp_x: 1\n", []),
    "above, at another column": ("# fsds: ignore[FSDS102] why\n  fsdp_x: 1\n", []),
    "above blank lines and comments": ("  # fsds: ignore[FSDS102] why\n\n  # x\n\n  fsdp_x: 1\n", []),
    "two above": ("  # fsds: ignore[FSDS102] why\n  # fsds: ignore[FSDS105] why\n  fsdp_x: 1\n", ["6 FSDS008"]),
    "below": ("  fsdp_x: 1\n  # fsds: ignore[FSDS102] why\n", ["5 FSDS102", "6 FSDS008"]),
    "two lines above": (
        "  # fsds: ignore[FSDS102] why\n  fsdp_offload_params: true\n  fsdp_x: 1\n",
        ["5 FSDS008", "7 FSDS102"],
    ),
    "at the end of a line above": (
        "  fsdp_offload_params: true # fsds: ignore[FSDS102] why\n  fsdp_x: 1\n",
        ["5 FSDS008", "6 FSDS102"],
    ),
    "several codes": ("  fsdp_x: 1 # fsds: ignore[FSDS105, FSDS102] why\n", ["5 FSDS008"]),
    "no reason": ("  fsdp_x: 1 # fsds: ignore[FSDS102]\n", ["5 FSDS009"]),
    "a colon for a reason": ("  fsdp_x: 1 # fsds: ignore[FSDS102]: \n", ["5 FSDS009"]),
    "a colon before the reason": ("  fsdp_x: 1 # fsds: ignore[FSDS102]: why\n", []),
    "no code": ("  fsdp_x: 1 # fsds: ignore why\n", ["5 FSDS102", "5 FSDS010"]),
    "an empty bracket": ("  fsdp_x: 1 # fsds: ignore[] why\n", ["5 FSDS102", "5 FSDS010"]),
    "a code that is none": ("  fsdp_x: 1 # fsds: ignore[FSDS1O2] why\n", ["5 FSDS102", "5 FSDS010"]),
    "the beginning of a code": ("  fsdp_x: 1 # fsds: ignore[FSDS1] why\n", ["5 FSDS102", "5 FSDS010"]),
    "another code": ("  fsdp_x: 1 # fsds: ignore[FSDS101] why\n", ["5 FSDS102", "5 FSDS008"]),
    "for the file": ("  fsdp_x: 1\n  fsdp_y: 1\n# fsds: ignore-file[FSDS102] why\n", []),
    "for the file, at the end of a line": ("  fsdp_x: 1 # fsds: ignore-file[FSDS102] why\n  fsdp_y: 1\n", []),
    "for the file, without need": ("# fsds: ignore-file[FSDS102] why\n", ["5 FSDS008"]),
    "in a text": ('  fsdp_x: "# fsds: ignore[FSDS102] why"\n', ["5 FSDS102"]),
    "in a block text": ("  fsdp_x: |\n    # fsds: ignore[FSDS102] why\n", ["5 FSDS102"]),
    "in a plain text": ("  fsdp_x: a#fsds:ignore[FSDS102]why\n", ["5 FSDS102"]),
    "of another tool": ("  fsdp_x: 1 # zizmor: ignore[FSDS102] why\n", ["5 FSDS102"]),
    "in braces": ("  fsdp_x: {\n    a: 1 # fsds: ignore[FSDS105] why\n  }\n", ["5 FSDS102", "6 FSDS008"]),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", CASES)
def test_suppression(name: str, newline: str) -> None:
    lines, left = CASES[name]
    text = f"{HEAD}fsdp_config:\n  fsdp_version: 2\n{lines}  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
    assert told(text.replace("\n", newline)) == left


def test_the_number_of_suppressed_findings() -> None:
    text = f"{HEAD}{BODY}  fsdp_x: 1 # fsds: ignore[FSDS102] why\n  fsdp_y: 1\n"
    assert (report(text).suppressed, len(report(text).findings)) == (1, 1)


# a comment without need -> the lines after --fix
REMOVED = {
    "  fsdp_offload_params: true  # fsds: ignore[FSDS102] why\n": "  fsdp_offload_params: true\n",
    "  # fsds: ignore[FSDS102] why\n  fsdp_offload_params: true\n": "  fsdp_offload_params: true\n",
    "  fsdp_x: 1 # fsds: ignore[FSDS105, FSDS102] why\n": "  fsdp_x: 1 # fsds: ignore[FSDS102] why\n",
    "  fsdp_offload_params: true # one # fsds: ignore[FSDS102] why\n": "  fsdp_offload_params: true # one\n",
    "  fsdp_offload_params: true\n  # fsds: ignore[FSDS102] why": "  fsdp_offload_params: true\n",
}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("lines", REMOVED)
def test_unused_comment_goes(lines: str, newline: str) -> None:
    source = load(f"{HEAD}{BODY}{lines}".replace("\n", newline).encode(), "train.yaml")
    fixed = fix(source, Context(), SELECTION, unsafe=False)
    assert fixed is not None
    assert fixed.source.text == f"{HEAD}{BODY}{REMOVED[lines]}".replace("\n", newline)


COMMENT = "# fsds: ignore[FSDS102] why"
# lines -> the lines with the comments of --add-ignore
ADDED = {
    "  fsdp_x: 1\n": f"  fsdp_x: 1  {COMMENT}\n",
    "  fsdp_x: 1": f"  fsdp_x: 1  {COMMENT}",
    "  fsdp_x: 1 # one\n": f"  {COMMENT}\n  fsdp_x: 1 # one\n",
    "  fsdp_x: 'a # b'\n": f"  {COMMENT}\n  fsdp_x: 'a # b'\n",
    "  fsdp_x: |\n    a\n": f"  {COMMENT}\n  fsdp_x: |\n    a\n",
    '  fsdp_x: "a\n    b"\n': f'  {COMMENT}\n  fsdp_x: "a\n    b"\n',
    "  fsdp_x: a\n    b\n": f"  {COMMENT}\n  fsdp_x: a\n    b\n",
    "  fsdp_x:\n  - 1\n": f"  fsdp_x:  {COMMENT}\n  - 1\n",
    "  fsdp_x: {\n    a: 1\n  }\n": f"  fsdp_x: {{  {COMMENT}\n    a: 1\n  }}\n",
    "  fsdp_x: 1\n  fsdp_y: 1\n": f"  fsdp_x: 1  {COMMENT}\n  fsdp_y: 1  {COMMENT}\n",
}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("lines", ADDED)
def test_added_comment(lines: str, newline: str) -> None:
    before = report(f"{HEAD}{BODY}{lines}".replace("\n", newline))
    ignored = add_ignore(before, "why")
    assert ignored.text == f"{HEAD}{BODY}{ADDED[lines]}".replace("\n", newline)
    assert (ignored.added, ignored.left) == (len(before.findings), 0)
    after = report(ignored.text)
    assert (after.source.data, after.findings) == (before.source.data, ())


def test_several_codes_on_one_line() -> None:
    before = report(f"{HEAD}num_machnes: 1 # fsds: ignore[FSDS105] x\n{BODY}")
    assert {finding.diagnostic.code for finding in before.findings} == {"FSDS008", "FSDS101"}
    ignored = add_ignore(before, "why")
    assert "# fsds: ignore[FSDS101] why\nnum_machnes" in ignored.text  # a comment about comments would be the next one


def test_every_problem_of_the_syntax_is_a_finding() -> None:
    from typing import get_args

    from fsds_convert.containers.syntax_findings import _KINDS
    from fsds_convert.syntax.problem import ProblemKind

    assert set(get_args(ProblemKind)) == set(_KINDS)
