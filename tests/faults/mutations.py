"""The guards of mutations.yaml, and how each is removed from its source."""

import ast
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import yaml

SOURCES: Final = ("functions", "layers", "engine", "cli", "local", "sandbox", "scripts/deployment")
_BODIES: Final = ("body", "orelse", "finalbody")


class MutationError(Exception):
    """A mutation does not name exactly one place of the product."""


class Mutation(NamedTuple):
    """A guard, and the code without its effect.

    Args:
        name: What it guards.
        where: The function that contains it, as `Class.method`, with its module (`module:function`) if the name is not
            unique; or a module.
        before: Its expression or statements, in any layout.
        after: What replaces them.
        tests: The test files or tests, of which at least one fails without the guard.
    """

    name: str
    where: str
    before: str
    after: str
    tests: tuple[str, ...]

    def apply(self, root: Path) -> tuple[Path, str]:
        """Return the file that contains the guard, and its text without the guard.

        Raises MutationError if there is no such place, or more than one.
        """
        places = [
            (path, place)
            for path, scope in _find_scopes(root, self.where)
            for place in _find_places(scope, ast.parse(textwrap.dedent(self.before)).body)
        ]
        if len(places) != 1:
            raise MutationError(f"{self.name}: expected one place in {self.where}, found {len(places)}")
        ((path, place),) = places
        return path, _replace(path.read_text(encoding="utf-8"), place, self.after)


def _find_scopes(root: Path, where: str) -> Iterator[tuple[Path, ast.AST]]:
    """Yield the functions and modules of a tree that have this name."""
    module, _, function = where.rpartition(":")
    for path, scope in _index(root).get(function, []):
        dotted = ".".join(path.relative_to(root).with_suffix("").parts)
        if not module or f".{dotted}".endswith(f".{module}"):
            yield path, scope


@cache
def _index(root: Path) -> dict[str, list[tuple[Path, ast.AST]]]:
    """Return the modules of a tree, by every end of their dotted names, and its functions."""
    index = defaultdict(list)
    for path in sorted(path for folder in SOURCES for path in (root / folder).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parts = path.relative_to(root).with_suffix("").parts
        for name, scope in [*((".".join(parts[i:]), tree) for i in range(len(parts))), *_list_functions(tree, "")]:
            index[name].append((path, scope))
    return dict(index)


def _list_functions(parent: ast.AST, prefix: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield every function and class below a node with its qualified name."""
    for node in ast.iter_child_nodes(parent):
        named = isinstance(node, ast.FunctionDef | ast.ClassDef)
        name = f"{prefix}{node.name}" if isinstance(node, ast.FunctionDef | ast.ClassDef) else prefix
        if named:
            yield name, node
        yield from _list_functions(node, f"{name}." if named else prefix)


def _find_places(scope: ast.AST, wanted: list[ast.stmt]) -> Iterator[list[ast.stmt] | list[ast.expr]]:
    """Yield each run of statements, or each expression, that equals the wanted one."""
    runs = [
        body[start : start + len(wanted)]
        for node in ast.walk(scope)
        for body in (getattr(node, name, None) for name in _BODIES)
        if isinstance(body, list)
        for start in range(len(body))
        if type(body[start]) is type(wanted[0])
    ]
    dumped = _dump(wanted)
    places = [run for run in runs if _dump(run) == dumped]
    yield from places
    if not places and isinstance(wanted[0], ast.Expr):
        same = ast.dump(wanted[0].value)
        yield from ([node] for node in ast.walk(scope) if isinstance(node, ast.expr) and ast.dump(node) == same)


def _dump(nodes: Iterable[ast.AST]) -> list[str]:
    return [ast.dump(node) for node in nodes]


def _replace(text: str, place: list[ast.stmt] | list[ast.expr], after: str) -> str:
    """Replace the code at a place; an expression is set in brackets, statements are indented."""
    lines = text.encode().splitlines(keepends=True)
    first, last = place[0], place[-1]
    assert last.end_lineno is not None
    assert last.end_col_offset is not None
    start = sum(map(len, lines[: first.lineno - 1])) + first.col_offset
    end = sum(map(len, lines[: last.end_lineno - 1])) + last.end_col_offset
    if isinstance(first, ast.expr):
        code = f"({after})"
    else:
        code = textwrap.indent(textwrap.dedent(after), " " * first.col_offset).lstrip()
    return (text.encode()[:start] + code.encode() + text.encode()[end:]).decode()


def _read_mutations() -> tuple[Mutation, ...]:
    groups = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    rows = [row for group in groups.values() for row in group]
    return tuple(Mutation(**{**row, "tests": tuple(row["tests"])}) for row in rows)


MUTATIONS: Final = _read_mutations()
