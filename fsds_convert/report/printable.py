"""Text of a file as a terminal, a log or a table can show it."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""One line: every other character as its escape (`\n`, `\x1b`, `\u202e`)."""
    return text if text.isprintable() else "".join(map(printable_character, text))


def printable_character(character: str) -> str:
    """A character, or its escape where it would not be seen."""
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def printable_lines(text: str) -> list[str]:
    """As `printable`, with the line breaks of the text."""
    return [printable(line) for line in text.replace("\r\n", "\n").rstrip("\n").split("\n")]
