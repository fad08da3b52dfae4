"""Bytes → value of a benchmark's YAML, refusing keys that are there twice, aliases and endless nesting."""

from collections.abc import Hashable
from typing import Any

import yaml

from scoring_core.errors import BenchmarkError

MAX_NUMBER_LENGTH = 1000
_SHOWN_LENGTH = 64
_INT, _FLOAT = "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"


class _StrictLoader(yaml.SafeLoader):
    """YAML's safe loader without what loses or multiplies content in silence."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]  # of PyYAML
            raise yaml.MarkedYAMLError(problem="aliases (*name) are not read here", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        # Digits of base 60 take quadratic time, and what takes no double cannot be shown or compared.
        if len(node.value) > MAX_NUMBER_LENGTH:
            problem = f"a number of {len(node.value)} characters: at most {MAX_NUMBER_LENGTH}"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
        construct = super().construct_yaml_float if node.tag == _FLOAT else super().construct_yaml_int
        number: int | float = construct(node)
        return number

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002  # PyYAML's own signature
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable):  # the loader itself refuses any other
                if key in seen:
                    problem = f"the key {repr(key)[:_SHOWN_LENGTH]} is there twice"
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=key_node.start_mark)
                seen.add(key)
        return super().construct_mapping(node, deep=deep)


for _tag in (_INT, _FLOAT):
    _StrictLoader.add_constructor(_tag, _StrictLoader.construct_number)


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
        raise BenchmarkError(f"{where}{place}: {error.problem}") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: the 31st of February
        raise BenchmarkError(f"{where}: {error}") from error
    except RecursionError as error:
        raise BenchmarkError(f"{where}: nested too deeply") from error
