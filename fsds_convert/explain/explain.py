"""A word of the user -> the page about it."""

from __future__ import annotations

from collections.abc import Iterator

from fsds_convert.errors import FsdsError, UnknownName
from fsds_convert.explain.dialects import TITLES
from fsds_convert.explain.field_page import field_page, transfer_page
from fsds_convert.explain.key_page import key_page
from fsds_convert.explain.markdown import prose
from fsds_convert.explain.page import Page, page
from fsds_convert.explain.rule_page import rule_page
from fsds_convert.explain.topics import Topic, other_codes, topics
from fsds_convert.plan.training_plan import FIELDS
from fsds_convert.rules.catalog import catalog
from fsds_convert.syntax.closest import closest
from fsds_convert.tables.load import load_table
from fsds_convert.tables.row import Row
from fsds_convert.tables.table import Table
from fsds_convert.transfer.rows import transfers

_MANY = 4  # keys of one name that a page still shows together
_LISTED = 12


def explain(word: str) -> Page:
    """The page of a rule, the code of a conversion, a topic, a plan field or a key; raises UnknownName."""
    return _of_code(word) or _of_topic(word) or _of_field(word) or _of_key(word)


def words() -> list[str]:
    """Everything that has a page, by its usual name."""
    keys = [row.key.removeprefix(f"{table.section}.") for table in _tables() for row in table]
    names = [name for topic in topics() for name in topic.names]
    coded = [*catalog(), *(row.code for row in transfers()), *other_codes()]
    return list(dict.fromkeys([*coded, *(rule.name for rule in catalog().values()), *names, *FIELDS, *keys]))


def _tables() -> Iterator[Table]:
    yield from map(load_table, TITLES)


def _of_code(word: str) -> Page | None:
    rule = catalog().get(word.upper()) or next((rule for rule in catalog().values() if rule.name == word), None)
    if rule is not None:
        return rule_page(rule)
    row = next((row for row in transfers() if word in (row.code, row.code.lower(), row.name)), None)
    if row is not None:
        return transfer_page(row)
    for code, (name, text) in other_codes().items():
        if word in (code, code.lower(), name):
            return page(f"{code}: {name}", [prose(text)], {"kind": "conversion", "code": code, "name": name})
    return None


def _of_topic(word: str) -> Page | None:
    topic: Topic | None = next((topic for topic in topics() if word.lower() in topic.names), None)
    if topic is None:
        return None
    see = "\n".join(f"- `fsds explain {name}`" for name in topic.see)
    data = {"kind": "topic", "name": topic.names[0], "text": topic.text, "see": list(topic.see)}
    return page(topic.title, [topic.text, "## See also", see], data)


def _of_field(word: str) -> Page | None:
    groups = {path.partition(".")[0] for path in FIELDS}
    # the groups that a key or section is called after too are asked for as keys
    return field_page(word) if word in FIELDS or (word in groups and not list(_named(word))) else None


def _of_key(word: str) -> Page:
    named = list(_named(word))
    found = named + [each for each in _ending(word) if each not in named]
    if named and len({row.key for _, row in found}) > _MANY:
        found = named
    keys = list(dict.fromkeys(row.key for _, row in found))
    if not found:
        raise _unknown(word)
    if len(keys) > _MANY:
        listed = ", ".join(keys[:_LISTED]) + (", ..." if len(keys) > _LISTED else "")
        raise FsdsError(f"`{word}` is the name of {len(keys)} keys", f"name one of them in full: {listed}")
    return key_page(word, found)


def _unknown(word: str) -> UnknownName:
    """With what has the word in it, or takes it as a value, where no name is near."""
    within = [rule.code for rule in catalog().values() if len(word) > 3 and rule.code.startswith(word.upper())]
    takes = (row for table in _tables() for row in table if word.lower() in map(str.lower, _spellings(row)))
    values = [row.name for row in takes]
    parts = [name for name in words() if len(word) > 2 and word.lower() in name.lower()]
    known = list(dict.fromkeys([*within, *values, *parts]))[:_LISTED]
    return UnknownName("code, key or field", word, None if known else closest(word, words()), known)


def _spellings(row: Row) -> Iterator[str]:
    """What a choice takes: the words of a truth value stand for nothing of their own."""
    yield from (str(value) for value in (*row.values, *row.aliases) if isinstance(value, str) and len(value) > 2)


def _named(word: str) -> Iterator[tuple[str, Row]]:
    """The rows of a key: in full, without its section, or without the prefix that the loader adds or drops."""
    for table in _tables():
        for row in table:
            inside = row.key.removeprefix(f"{table.section}.") if table.section else row.key
            short = inside.removeprefix(table.prefix)
            if word in (row.key, inside, short, f"{table.dropped_prefix}{inside}"):
                yield table.name, row


def _ending(word: str) -> Iterator[tuple[str, Row]]:
    """The rows of a key that is named by its last parts only, as of a DeepSpeed JSON."""
    yield from ((table.name, row) for table in _tables() for row in table if row.key.endswith(f".{word}"))
