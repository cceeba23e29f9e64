"""Where each key and value of a YAML document is written, by its path."""

from __future__ import annotations

import re
from typing import Any

from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode

from fsds_convert.syntax.problem import SyntaxProblem
from fsds_convert.syntax.repeated_keys import repeated_key
from fsds_convert.syntax.span import Lines, Path, Span
from fsds_convert.syntax.yaml_loader import MERGE_TAG, STR_TAG, Document, Pair

# what can stand between a value and the alias that follows: indicators, comments, anchors and tags
_BEFORE_ALIAS = re.compile(r"[\s:?-]+|#[^\n\r]*|[&!]\S*")
_ALIAS = re.compile(r"\*\S+")

_CONSEQUENCE = "yaml.safe_load keeps the last one and says nothing"


class Positions:
    """Walks a document. A merged or aliased value has the place of its anchor, where it is really written."""

    def __init__(self, text: str, lines: Lines, document: Document) -> None:
        self.keys: dict[Path, Span] = {}
        self.values: dict[Path, Span] = {}
        self.problems: list[SyntaxProblem] = []
        self._text = text
        self._lines = lines
        self._document = document
        self._compared: set[int] = set()
        self._ends: dict[int, int] = {}
        if document.root is not None:
            self._visit(document.root, ())

    def _visit(self, node: Node, path: Path) -> None:
        self.values[path] = self._lines.span(node.start_mark.index, self._end(node))
        if isinstance(node, MappingNode):
            self._report_repeated(node)
            for key, (key_node, value_node) in {self._key(pair[0]): pair for pair in node.value}.items():
                inner = (*path, key)
                self.keys[inner] = self._lines.span(key_node.start_mark.index, key_node.end_mark.index)
                self._visit(value_node, inner)
        elif isinstance(node, CollectionNode):
            for index, item in enumerate(node.value):
                self._visit(item, (*path, index))

    def _key(self, node: Node) -> Any:
        return node.value if node.tag == STR_TAG else self._document.construct_key(node)

    def _own_pairs(self, node: MappingNode) -> list[Pair]:
        own: list[Pair] = self._document.own_pairs.get(id(node), node.value)
        return own

    def _report_repeated(self, node: MappingNode) -> None:
        if id(node) in self._compared:
            return
        self._compared.add(id(node))
        written = [(self._key(key), key) for key, _ in self._own_pairs(node) if key.tag != MERGE_TAG]
        if len({key for key, _ in written}) == len(written):
            return
        seen: dict[Any, Span] = {}
        for key, key_node in written:
            span = self._lines.span(key_node.start_mark.index, key_node.end_mark.index)
            if key in seen:
                self.problems.append(repeated_key(key, seen[key], span, _CONSEQUENCE))
            seen[key] = span

    def _end(self, node: Node) -> int:
        """Where a node ends, without the blank lines and comments behind it that PyYAML counts to a block."""
        end: int = node.end_mark.index
        if isinstance(node, ScalarNode) and node.style in ("|", ">"):
            return node.start_mark.index + len(self._text[node.start_mark.index : end].rstrip())
        if not isinstance(node, CollectionNode) or node.flow_style or not node.value:
            return end
        if id(node) not in self._ends:
            position: int = node.start_mark.index
            for part in self._own_parts(node):
                is_alias = part.start_mark.index < position
                position = self._alias_end(position) if is_alias else self._end(part)
            self._ends[id(node)] = position
        return self._ends[id(node)]

    def _alias_end(self, position: int) -> int:
        """The end of the first alias behind `position`; an alias has no marks of its own."""
        at = position
        while between := _BEFORE_ALIAS.match(self._text, at):
            at = between.end()
        alias = _ALIAS.match(self._text, at)
        return alias.end() if alias else position

    def _own_parts(self, node: Node) -> list[Node]:
        return (
            [part for pair in self._own_pairs(node) for part in pair] if isinstance(node, MappingNode) else node.value
        )
