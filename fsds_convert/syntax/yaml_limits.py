"""Refuses YAML that nests or repeats itself without measure, before anything recurses over it."""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml.events import CollectionEndEvent, CollectionStartEvent
from yaml.nodes import CollectionNode, Node

from fsds_convert.syntax.limits import MAX_DEPTH, MAX_VALUES, NOT_READ, too_deep
from fsds_convert.syntax.problem import ProblemKind, Refused, SyntaxProblem
from fsds_convert.syntax.span import Lines

# the run of characters that can begin a line's first block values: `- - ? a`
_INDENT = re.compile("(?:^|[\n\r\x85\u2028\u2029])([ \t?:-]*)")


def check_depth(text: str, lines: Lines, loader_type: Any) -> None:
    """Raises Refused when brackets or indentation go deeper than MAX_DEPTH. The C parser would recurse by itself."""
    if _depth_at_most(text) <= MAX_DEPTH:
        return
    depth = 0
    try:
        for event in yaml.parse(text, loader_type):
            if isinstance(event, CollectionStartEvent):
                depth += 1
                if depth > MAX_DEPTH and event.start_mark is not None:
                    raise too_deep(lines.point(event.start_mark.index))
            elif isinstance(event, CollectionEndEvent):
                depth -= 1
    except yaml.MarkedYAMLError as error:
        # libyaml has a limit of its own, and meets it before it hands out the first event
        if "nesting" in (error.problem or "") and error.problem_mark is not None:
            raise too_deep(lines.point(error.problem_mark.index)) from error
    except (yaml.YAMLError, ValueError):
        return  # whoever reads the values reports it


def _depth_at_most(text: str) -> int:
    """Never too low: a bracket opens two levels at most (`[a: 1]`), and so does a column (`a:` with `- b` below)."""
    return 2 * (text.count("[") + text.count("{") + max(map(len, _INDENT.findall(text))) + 1)


def check_aliases(root: Node, lines: Lines) -> None:
    """Raises Refused when a value holds itself, or when values with aliases written out are too many or too deep."""

    def refused(kind: ProblemKind, message: str, node: Node, remedy: str) -> Refused:
        return Refused(SyntaxProblem(kind, message, lines.point(node.start_mark.index), NOT_READ, remedy))

    measured: dict[int, tuple[int, int]] = {}
    entered: set[int] = set()
    waiting: list[tuple[Node, bool]] = [(root, False)]
    while waiting:
        node, children_measured = waiting.pop()
        if id(node) in measured:
            continue
        children = _children(node)
        if children_measured:
            entered.discard(id(node))
            inner = [measured[id(child)] for child in children]
            size = 1 + sum(size for size, _ in inner)
            depth = 1 + max((depth for _, depth in inner), default=0)
            if size > MAX_VALUES:
                message = f"more than {MAX_VALUES:,} values once the aliases are written out"
                raise refused("too-many-aliases", message, node, "write the values out where they are needed")
            if depth > MAX_DEPTH + 1:
                raise too_deep(lines.point(node.start_mark.index))
            measured[id(node)] = size, depth
        elif id(node) in entered:
            message = "an anchor stands for a value that holds its own alias"
            raise refused("recursive-alias", message, node, "remove the alias inside the anchored value")
        elif children:
            entered.add(id(node))
            waiting.append((node, True))
            waiting += [(child, False) for child in children]
        else:
            measured[id(node)] = 1, 1


def _children(node: Node) -> list[Node]:
    if not isinstance(node, CollectionNode):
        return []
    return [part for item in node.value for part in (item if isinstance(item, tuple) else (item,))]
