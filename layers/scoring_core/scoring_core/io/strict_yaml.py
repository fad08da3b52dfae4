"""Bytes → value of a benchmark's YAML, refusing what loses, multiplies or disguises content, and what has no end."""

from collections.abc import Hashable
from typing import Any

import yaml

from scoring_core.errors import BenchmarkError
from scoring_core.io.strict_json import MAX_NUMBER_LENGTH
from scoring_core.io.text import shorten

MAX_BRACKETS = 64
_INT = "tag:yaml.org,2002:int"
_MAX_QUOTED = 60
_MAX_MESSAGE = 400


class _StrictLoader(yaml.SafeLoader):
    """YAML's safe loader without what loses or multiplies content in silence, and without tags.

    A tag makes the loader read a text as what it is not (`!!int ""`), and then it fails in many ways.
    """

    def fetch_flow_collection_start(self, TokenClass: type[yaml.Token]) -> None:  # noqa: N803  # PyYAML's own name
        # For each token PyYAML looks at every bracket that is open again.
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
        """Read a number, but none in base 60: `12:30` is a time to everybody but YAML 1.1."""
        if len(node.value) > MAX_NUMBER_LENGTH:  # to read digits of base 10 takes quadratic time
            raise _fault(f"a number of {len(node.value)} characters: at most {MAX_NUMBER_LENGTH}", node)
        if ":" in node.value:
            raise _fault(f"{shorten(node.value, _MAX_QUOTED)} is a number in base 60; put it into quotes", node)
        is_whole = node.tag == _INT
        number: int | float = self.construct_yaml_int(node) if is_whole else self.construct_yaml_float(node)
        return number

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002  # PyYAML's own signature
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable):  # the loader itself refuses any other
                if key in seen:
                    raise _fault(f"the key {shorten(repr(key), _MAX_QUOTED)} is there twice", key_node)
                seen.add(key)
        return super().construct_mapping(node, deep=deep)


_StrictLoader.add_constructor(_INT, _StrictLoader.construct_number)
_StrictLoader.add_constructor("tag:yaml.org,2002:float", _StrictLoader.construct_number)


def _fault(problem: str, place: yaml.Event | yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=place.start_mark)  # type: ignore[arg-type]  # of PyYAML


def read_yaml(content: bytes, where: str) -> object:
    """Read YAML.

    Args:
        content: One document.
        where: The file's name, for the message.

    Raises:
        BenchmarkError: Names the file, and the line and column where there are any.

    >>> read_yaml(b"ranking: {by: [Coins]}", "benchmark.yaml")
    {'ranking': {'by': ['Coins']}}
    """
    try:
        return yaml.load(content, _StrictLoader)  # noqa: S506  # a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise BenchmarkError(f"{where}{place}: {shorten(str(error.problem), _MAX_MESSAGE)}") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a character that there is none of
        raise BenchmarkError(f"{where}: {shorten(str(error), _MAX_MESSAGE)}") from error
    except RecursionError as error:
        raise BenchmarkError(f"{where}: nested too deeply") from error
