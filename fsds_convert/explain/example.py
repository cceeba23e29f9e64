"""What a rule says of the example on its page."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from fsds_convert.diagnostics import Severity
from fsds_convert.lint.lint_file import lint
from fsds_convert.lint.outcome import Finding
from fsds_convert.lint.select import Selection
from fsds_convert.rules.rule import Rule
from fsds_convert.settings.context import Context
from fsds_convert.syntax.source import load
from fsds_convert.tables.versions import Versions

_NAMES = {
    "yaml": "train.yaml",
    "json": "ds_config.json",
    "trainer-fsdp": "fsdp_config.json",
    "trainer-args": "args.json",
}


def files_of(text: str | Mapping[str, str], kind: str) -> Mapping[str, str]:
    """The files of an example by name; the first is linted."""
    return {_NAMES[kind]: text} if isinstance(text, str) else text


def of_example(rule: Rule) -> Finding | None:
    """The first finding of the rule in its example."""
    files = files_of(rule.example, rule.example_kind)
    if len(files) == 1:
        return _linted(rule, files, None)
    try:
        with TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            found = _linted(rule, files, Path(folder))
    except OSError:  # nowhere to write
        return None
    return _without(f"{folder}{os.sep}", found) if found is not None else None


def _linted(rule: Rule, files: Mapping[str, str], folder: Path | None) -> Finding | None:
    name, text = next(iter(files.items()))
    given = dict(rule.example_options)
    context = Context(versions=Versions(**given.pop("versions", {})), **given)
    source = load(text.encode(), name, folder and folder / name)
    report = lint(source, context, Selection(select=(rule.code,), severity=Severity.INFO))
    return next((found for found in report.findings if found.diagnostic.code == rule.code), None) if report else None


def _without(folder: str, found: Finding) -> Finding:
    """The page is the same whatever folder the files lay in."""
    told = found.diagnostic
    words = {name: getattr(told, name).replace(folder, "") for name in ("message", "note", "help")}
    return replace(found, diagnostic=replace(told, **words))
