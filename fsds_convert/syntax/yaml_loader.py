"""PyYAML's safe loader, told to remember what positions and messages need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.constructor import ConstructorError, SafeConstructor
from yaml.nodes import MappingNode, Node, ScalarNode

from fsds_convert.syntax.span import Lines
from fsds_convert.syntax.yaml_limits import check_aliases

Pair = tuple[Node, Node]

INT_TAG = "tag:yaml.org,2002:int"
FLOAT_TAG = "tag:yaml.org,2002:float"
MERGE_TAG = "tag:yaml.org,2002:merge"
STR_TAG = "tag:yaml.org,2002:str"

# int() takes no more digits; PyYAML's base-60 numbers take time by the square of their length
_MAX_DIGITS = 4300

# what safe_load lets through for a bad number, date or tag: `!!int x`, `2024-99-99`, `!!bool maybe`, `!!timestamp x`
_BAD_VALUE = (ValueError, LookupError, AttributeError, TypeError, ArithmeticError)


class BadValue(ConstructorError):
    """A scalar that safe_load raises no YAMLError for, but ValueError, KeyError, ..."""


class _Remembering(SafeConstructor):
    """`own_pairs`: the pairs of a mapping as written, where merge keys are replaced. `scalar`: the last one read."""

    def __init__(self, *text: str) -> None:
        super().__init__(*text)  # the loader that this class is mixed into takes one
        self.own_pairs: dict[int, list[Pair]] = {}
        self.scalar: Node | None = None

    def flatten_mapping(self, node: MappingNode) -> None:
        if any(key.tag == MERGE_TAG for key, _ in node.value):
            self.own_pairs.setdefault(id(node), list(node.value))
        super().flatten_mapping(node)

    def construct_scalar(self, node: ScalarNode | MappingNode) -> Any:
        self.scalar = node
        return super().construct_scalar(node)

    def construct_number(self, node: ScalarNode) -> Any:
        """An int or float as safe_load reads it; raises ValueError for one of thousands of digits."""
        if len(node.value) > _MAX_DIGITS:
            self.scalar = node
            raise ValueError(f"a number of more than {_MAX_DIGITS} characters")
        return self.construct_yaml_int(node) if node.tag == INT_TAG else self.construct_yaml_float(node)


class PureLoader(_Remembering, yaml.SafeLoader):
    """What yaml.safe_load uses."""


_LOADERS: list[Any] = [PureLoader]
if hasattr(yaml, "CSafeLoader"):

    class _CLoader(_Remembering, yaml.CSafeLoader):
        pass

    _LOADERS.append(_CLoader)

for _loader in _LOADERS:
    _loader.add_constructor(INT_TAG, _Remembering.construct_number)
    _loader.add_constructor(FLOAT_TAG, _Remembering.construct_number)


def loader_class() -> Any:
    """The C loader, 13 times as fast, where PyYAML was built with it; else the pure one."""
    return _LOADERS[-1]


@dataclass(frozen=True, eq=False)
class Document:
    """A document as nodes and as values. After merging, a node's pairs are those that safe_load builds a dict of."""

    root: Node | None
    data: Any
    own_pairs: Mapping[int, list[Pair]]
    construct_key: Callable[[Node], Any]


def read_document(text: str, lines: Lines, loader_type: Any) -> Document:
    """The one document of a text; raises yaml.YAMLError, RecursionError, or Refused for aliases without measure."""
    loader = loader_type(text)
    try:
        root = loader.get_single_node()
        if root is not None and "*" in text:
            check_aliases(root, lines)
        data = None if root is None else loader.construct_document(root)
    except _BAD_VALUE as error:
        mark = loader.scalar.start_mark if loader.scalar is not None else None
        raise BadValue(None, None, str(error), mark) from error
    finally:
        loader.dispose()
    return Document(root, data, loader.own_pairs, loader.construct_object)
