"""Bytes → value of a benchmark's YAML. Rejects what loses, multiplies or disguises content.

PyYAML reads YAML 1.1, in which `1e-3` is a text. The numbers of YAML 1.2 are read too. What the two versions read in
different ways is rejected.
"""

import re
from collections.abc import Hashable
from typing import Any

import yaml

from scoring_core.errors import BenchmarkError
from scoring_core.io.strict_json import MAX_NUMBER_LENGTH
from scoring_core.io.text import shorten

MAX_BRACKETS = 64
_INT = "tag:yaml.org,2002:int"
_FLOAT = "tag:yaml.org,2002:float"
_BOOL = "tag:yaml.org,2002:bool"
_DIGITS = list("-+.0123456789")
_OCTAL = re.compile(r"0o[0-7]+")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9_]+")
_CORE_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
"""Source: YAML 1.2.2, section 10.3.2, core schema."""
_MAX_QUOTED = 60
_MAX_MESSAGE = 400


class _StrictLoader(yaml.SafeLoader):
    """YAML's safe loader without aliases, tags, repeated keys and what has two readings.

    A tag makes the loader read a text as another type (`!!int ""`), and then it fails in many ways.
    """

    def fetch_flow_collection_start(self, TokenClass: type[yaml.Token]) -> None:  # noqa: N803  # PyYAML's own name
        # For each token PyYAML searches all open brackets, which is quadratic.
        if self.flow_level >= MAX_BRACKETS:
            problem = f"brackets nested deeper than {MAX_BRACKETS}"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=self.get_mark())
        super().fetch_flow_collection_start(TokenClass)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # of PyYAML
        tag = getattr(event, "tag", None)
        if isinstance(event, yaml.AliasEvent):
            raise _fault("aliases (*name) are not read here", event)
        if tag is not None:
            written = shorten(tag.replace("tag:yaml.org,2002:", "!!"), _MAX_QUOTED)
            raise _fault(f"tags ({written}) are not read here", event)
        return super().compose_node(parent, index)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:  # noqa: FBT001, FBT002  # PyYAML's own signature
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, OverflowError) as error:  # the 31st of February
            raise _fault(shorten(str(error), _MAX_QUOTED), node) from error

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        """Read a number, but none in base 60: only YAML 1.1 reads `12:30` as one.

        `017` is 15 in YAML 1.1 and 17 in YAML 1.2.
        """
        if len(node.value) > MAX_NUMBER_LENGTH:  # reading decimal digits takes quadratic time
            raise _fault(f"a number of {len(node.value)} characters: at most {MAX_NUMBER_LENGTH}", node)
        if ":" in node.value:
            raise _fault(f"{shorten(node.value, _MAX_QUOTED)} is a number in base 60; put it into quotes", node)
        if _LEADING_ZERO.fullmatch(node.value):
            raise _fault(
                f"{shorten(node.value, _MAX_QUOTED)}: a number that begins with 0 is read in two ways; "
                "put it into quotes, or leave out the 0",
                node,
            )
        if _OCTAL.fullmatch(node.value):
            return int(node.value, 8)
        is_whole = node.tag == _INT
        number: int | float = self.construct_yaml_int(node) if is_whole else self.construct_yaml_float(node)
        return number

    def construct_boolean(self, node: yaml.ScalarNode) -> bool:
        """Read `true` or `false`: YAML 1.2 reads yes, no, on and off as texts."""
        value = self.bool_values[node.value.lower()]
        written = str(value).lower()
        if node.value.lower() != written:
            problem = f"{node.value!r} is {written} to some readers and a text to others"
            raise _fault(f"{problem}; write {written}, or put it into quotes", node)
        return value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002  # PyYAML's own signature
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable):  # the loader itself rejects any other
                if key in seen:
                    raise _fault(f"the key {shorten(repr(key), _MAX_QUOTED)} is there twice", key_node)
                seen.add(key)
        return super().construct_mapping(node, deep=deep)


_StrictLoader.add_constructor(_INT, _StrictLoader.construct_number)
_StrictLoader.add_constructor(_FLOAT, _StrictLoader.construct_number)
_StrictLoader.add_constructor(_BOOL, _StrictLoader.construct_boolean)
# PyYAML's own come first, then these in their order.
for _tag, _pattern in ((_INT, _LEADING_ZERO), (_INT, _OCTAL), (_FLOAT, _CORE_FLOAT)):
    _StrictLoader.add_implicit_resolver(_tag, re.compile(rf"(?:{_pattern.pattern})\Z"), _DIGITS)


def _fault(problem: str, place: yaml.Event | yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=place.start_mark)  # type: ignore[arg-type]  # of PyYAML


def read_yaml(content: bytes, file: str) -> object:
    """Read one document.

    Raises:
        BenchmarkError: Names the file, and the line and column if there are any.

    >>> read_yaml(b"ranking: {by: [Coins]}", "benchmark.yaml")
    {'ranking': {'by': ['Coins']}}
    """
    try:
        return yaml.load(content, _StrictLoader)  # noqa: S506  # a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise BenchmarkError(f"{file}{place}: {shorten(str(error.problem), _MAX_MESSAGE)}") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: an impossible character
        raise BenchmarkError(f"{file}: {shorten(str(error), _MAX_MESSAGE)}") from error
    except RecursionError as error:
        raise BenchmarkError(f"{file}: nested too deeply") from error
