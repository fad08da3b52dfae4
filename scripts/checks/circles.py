"""Finds imports in circles, in Python and TypeScript, and upwards in the site, also late ones or of types alone."""  # noqa: INP001 — scripts are no package

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Final

ROOTS: Final = ("layers/scoring_core/", "layers/storage/", "functions/sandbox/", "functions/", "")
"""Folders on Python's path, the innermost first."""
SITE: Final = "frontend/src/"
LEVELS: Final = {
    "api": 1,
    "ui": 2,
    "charts": 3,
    "boards": 4,
    "batches": 5,
    "submissions": 5,
    "players": 6,
    "benchmarks": 7,
    "guides": 7,
    ".": 8,
}
"""Folder of the site → its level, 0 of all others: the languages.

A module imports nothing of a higher level.
"""
IMPORTED: Final = re.compile(r"""(?:\bfrom\s|^import\s|\bimport\()\s*["'](\.[^"']+)["']""", re.MULTILINE)


def find_circles(root: Path, files: Iterable[str]) -> Iterator[str]:
    """Yield each import upwards in the site, and a circle of imports if there is one."""
    graph = dict(read_imports(root, files))
    imports = ((file, each) for file, imported in graph.items() for each in imported)
    yield from (
        f"{file}: imports {each}, a level above" for file, each in imports if find_level(each) > find_level(file)
    )
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield f"{' → '.join(reversed(error.args[1]))}: modules import each other"


def find_level(file: str) -> int:
    """Return the level of a module."""
    folders = PurePosixPath(file.removeprefix(SITE)).parts[:-1] or (".",)
    return LEVELS.get(folders[0], 0) if file.startswith(SITE) else 0


def read_imports(root: Path, files: Iterable[str]) -> Iterator[tuple[str, set[str]]]:
    """Yield each module of Python or TypeScript with the files that it imports."""
    names = list(files)
    modules = {name_module(file): file for file in names if file.endswith(".py")}
    for file in names:
        if file.endswith(".py"):
            yield file, {modules[name] for name in list_names((root / file).read_text(), modules)} - {file}
        elif file.endswith((".ts", ".tsx")):
            folder = PurePosixPath(file).parent
            paths = {normpath(folder / path) for path in IMPORTED.findall((root / file).read_text())}
            yield file, paths.intersection(names)


def name_module(file: str) -> str:
    """Return the name by which a file of Python is imported."""
    path = file.removeprefix(next(folder for folder in ROOTS if file.startswith(folder)))
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def list_names(source: str, modules: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of modules that a text of Python imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            submodules = {f"{node.module}.{alias.name}" for alias in node.names} & modules.keys()
            yield from submodules or {node.module} & modules.keys()
        elif isinstance(node, ast.Import):
            yield from {alias.name for alias in node.names} & modules.keys()
