"""Findings as JUnit XML."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from fsds_convert.lint.outcome import Finding, Outcome
from fsds_convert.report.lint_places import span_of
from fsds_convert.report.printable import printable, printable_lines


def render(outcome: Outcome) -> str:
    """A suite for each file, with a failing case for each finding, or a passing one where there is none.

    XML has no way to write most control characters: they are escaped like everywhere else.
    """
    suites: dict[str, list[Finding]] = {report.source.name: [] for report in outcome.files}
    for finding in outcome.findings:
        suites.setdefault(finding.diagnostic.place.name, []).append(finding)
    tests = sum(max(len(found), 1) for found in suites.values())
    root = Element("testsuites", name="fsds", tests=str(tests), failures=str(len(outcome.findings)), errors="0")
    for name, found in suites.items():
        _suite(root, printable(name), found)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}'


def _suite(root: Element, name: str, found: Sequence[Finding]) -> None:
    tests, failures = str(max(len(found), 1)), str(len(found))
    suite = SubElement(root, "testsuite", name=name, tests=tests, failures=failures, errors="0", skipped="0")
    if not found:
        SubElement(suite, "testcase", name="fsds", classname=name)
    for finding in found:
        told, span = finding.diagnostic, span_of(finding)
        case = SubElement(
            *(suite, "testcase"),
            {"name": told.code, "classname": name, "file": name, "line": str(span.line), "column": str(span.column)},
        )
        failure = SubElement(case, "failure", type=told.severity.value, message=printable(told.message))
        lines = [f"{told.place}: {told.message}", *(text for text in (told.note, told.help) if text)]
        failure.text = "\n".join(line for text in lines for line in printable_lines(text))
