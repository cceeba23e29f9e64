"""`# fsds: ignore[CODE] reason`, on the line of a finding or above it, and `# fsds: ignore-file[CODE] reason`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fsds_convert.diagnostics import Diagnostic, Fix, Place, finding
from fsds_convert.lint.select import code_named, nearest_rule
from fsds_convert.rules.catalog import catalog
from fsds_convert.syntax.edits import Edit
from fsds_convert.syntax.source import Source
from fsds_convert.syntax.span import Lines, Span, before, lines_of

# what is said of the comments themselves, which no comment can suppress
ABOUT_COMMENTS = ("unused-suppression", "suppression-without-reason", "suppression-names-no-rule")

_COMMENT = re.compile(
    r"(?:^|(?<=\s))#\s*fsds:\s*(?P<kind>ignore-file|ignore)(?P<codes>\[[^\]\r\n]*\])?(?P<reason>[^\r\n]*)", re.MULTILINE
)


@dataclass(frozen=True)
class Suppression:
    """A comment: the codes as written, the line that it stands for (None: the file), and where it stands."""

    codes: tuple[str, ...]
    line: int | None
    span: Span
    reason: str
    used: set[str] = field(default_factory=set)

    def covers(self, found: Diagnostic, name: str) -> bool:
        """Whether a finding in the file `name` is suppressed; remembers that it was."""
        told = {code_named(code) for code in self.codes}
        here = found.place.name == name and found.place.span is not None and found.place.span.line == self.line
        if found.code not in told or not (here or self.line is None):
            return False
        self.used.add(found.code)
        return True


def suppressions(source: Source) -> tuple[Suppression, ...]:
    """The comments of a YAML file, in their order; JSON has none."""
    if source.format == "json" or "fsds:" not in source.text:
        return ()
    lines = Lines(source.text)
    texts = [span for span in source.values.values() if span.end > span.start]
    found = []
    for match in _COMMENT.finditer(source.text):
        start = match.start()
        if any(span.start < start < span.end and not _is_block(source, span) for span in texts):
            continue  # within a text
        span = lines.span(start, match.end())
        own_line = not before(source.text, start).strip()
        codes = tuple(code.strip() for code in (match["codes"] or "[]")[1:-1].split(",") if code.strip())
        line = None if match["kind"] == "ignore-file" else _line_below(source, span.line) if own_line else span.line
        found.append(Suppression(codes, line, span, match["reason"].strip(" :-\t")))
    return tuple(found)


def _is_block(source: Source, span: Span) -> bool:
    """Block mappings and lists reach over comments."""
    return span.line < span.end_line and source.text[span.start] not in "\"'|>"


def _line_below(source: Source, line: int) -> int:
    """The next line that is no comment and not blank."""
    below = lines_of(source.text)[line:]
    skipped = next((i for i, text in enumerate(below) if text.strip() and not text.lstrip().startswith("#")), 0)
    return line + skipped + 1


def about_suppressions(source: Source, found: tuple[Suppression, ...]) -> Iterator[Diagnostic]:
    """What is wrong with the comments themselves, after every finding was held against them."""
    for suppression in found:
        place = Place(source.name, suppression.span)
        unknown = [code for code in suppression.codes if code_named(code) not in catalog()]
        unused = [
            code for code in suppression.codes if code not in unknown and code_named(code) not in suppression.used
        ]
        if not suppression.codes:
            note, help = "it suppresses nothing", "name the codes: `# fsds: ignore[FSDS105] why`"
            yield finding("suppression-names-no-rule", "a suppression without a code", place, note=note, help=help)
        for code in unknown:
            near = nearest_rule(code)
            text = f"a suppression of `{code}`, which is no rule" + (f"; did you mean `{near}`?" if near else "")
            yield finding("suppression-names-no-rule", text, place, note="it suppresses nothing", help="write a code")
        if unused:
            text = f"nothing to suppress: {', '.join(unused)} is not found here"
            fix = Fix("remove it", edits=(_without(source, suppression, unused),))
            yield finding(
                "unused-suppression", text, place, note="it would hide a finding to come", help="remove it", fix=fix
            )
        if suppression.codes and not suppression.reason:
            note, help = "nobody will know whether it still holds", "write the reason behind the bracket"
            yield finding("suppression-without-reason", "a suppression without a reason", place, note=note, help=help)


def _without(source: Source, suppression: Suppression, unused: list[str]) -> Edit:
    """The comment without the codes, or nothing where no other code is left."""
    kept = [code for code in suppression.codes if code not in unused]
    span, text = suppression.span, source.text
    if kept:
        opening = text.index("[", span.start)
        return Edit(opening, text.index("]", opening) + 1, f"[{', '.join(kept)}]")
    indent = before(text, span.start)
    if indent.strip():
        return Edit(span.start - (len(indent) - len(indent.rstrip())), span.end, "")
    end = span.end + (2 if text.startswith("\r\n", span.end) else 1 if span.end < len(text) else 0)
    return Edit(span.start - len(indent), end, "")
