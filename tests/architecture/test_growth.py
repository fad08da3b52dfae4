"""No cache or collection of a process grows without limit with input from outside."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
ROOMS: Final = ("layers/scoring_core", "layers/storage", "functions", "sandbox", "cli", "local")
CACHES: Final[Mapping[str, str]] = {
    "layers/storage/storage/players/names.py: _find_all": "three rules",
    "layers/scoring_core/scoring_core/benchmarks/zones.py: find_zone": "the time zones that there are",
}
"""Function with an unbounded cache → why its arguments are few."""
GROWING: Final[Mapping[str, str]] = {
    "cli/exports/folder.py: ExportFolder.files": "the files of one export",
    "cli/templates/moved/evaluate.py: Origins._known": "what the program of one result still holds",
    "cli/boards/old_rows.py: _PageTables.tables": "those of one file that a person names",
    "sandbox/runner_pool.py: RunnerPool._idle": "MAX_IDLE at most",
    "functions/evaluate/evaluator.py: Evaluator._published": "the benchmarks of one batch of messages",
    "functions/evaluate/evaluator.py: Evaluator._prepared": "MAX_PREPARED_BYTES of files at most, or one version",
    "functions/evaluate/evaluator.py: Evaluator._unread": "the results of one batch of messages",
    "functions/evaluate/evaluator.py: Evaluator._read": "the results of one batch of messages",
    "layers/storage/storage/boards/reading.py: BoardReader._shown": "MAX_SHOWN at most",
    "layers/storage/storage/benchmarks/store.py: BenchmarkStore._pointers": "one per published benchmark",
    "layers/storage/storage/benchmarks/terms.py: TermsStore._cached": "one per published benchmark",
    "layers/scoring_core/scoring_core/io/tables.py: Faults._sentences": "MAX_FAULTS at most",
    "layers/scoring_core/scoring_core/scorers/table/submission.py: ResultTable._columns": "the columns of one result",
    "local/functions.py: Function._idle": "max_workers at most",
    "local/functions.py: Function._workers": "those that run: max_workers at most",
    "local/work/dispatcher.py: Dispatcher._started": "MAX_THREADS at most, and what waits for a thread",
    "local/work/dispatcher.py: Dispatcher._resting": "one per event source mapping of the template",
}
"""Collection that is created empty and filled later → what bounds it."""
_EMPTY: Final = {"dict", "set", "list", "OrderedDict", "defaultdict", "deque", "Counter", "LifoQueue", "Queue"}


@pytest.fixture(scope="module")
def modules() -> dict[str, ast.Module]:
    """Every module of the rooms."""
    paths = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def list_caches(module: ast.Module) -> Iterator[str]:
    """Yield the functions with arguments and an unbounded cache."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and any(map(_is_unbounded, node.decorator_list)):
            arguments = node.args
            if arguments.args or arguments.kwonlyargs or arguments.posonlyargs or arguments.vararg or arguments.kwarg:
                yield node.name


def _is_unbounded(decorator: ast.expr) -> bool:
    match decorator:
        case ast.Name("cache") | ast.Attribute(attr="cache"):
            return True
        case ast.Call(ast.Name("lru_cache") | ast.Attribute(attr="lru_cache"), args, keywords):
            sizes = [*args, *(keyword.value for keyword in keywords if keyword.arg == "maxsize")]
            return any(isinstance(size, ast.Constant) and size.value is None for size in sizes)
    return False


def list_growing(module: ast.Module) -> Iterator[str]:
    """Yield the attributes and module variables that are created as empty collections."""
    for node in module.body:
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                if _is_empty(value):
                    yield name
    for owner in ast.walk(module):
        if not isinstance(owner, ast.ClassDef):
            continue
        for node in ast.walk(owner):
            match node:
                case ast.AnnAssign(ast.Name(name), _, ast.Call(ast.Name("field"), [], keywords)):
                    named = {keyword.arg: keyword.value for keyword in keywords}
                    if _name_of(named.get("default_factory")) in _EMPTY and "init" in named:
                        yield f"{owner.name}.{name}"
                case ast.Assign([ast.Attribute(ast.Name("self"), name)], value) | ast.AnnAssign(
                    ast.Attribute(ast.Name("self"), name), _, ast.expr() as value
                ) if _is_empty(value):
                    yield f"{owner.name}.{name}"


def _is_empty(value: ast.expr) -> bool:
    match value:
        case ast.Dict([], []) | ast.List([]):
            return True
        case ast.Call(called, [], []):
            return _name_of(called) in _EMPTY
    return False


def _name_of(node: ast.expr | None) -> str | None:
    match node:
        case ast.Name(name) | ast.Attribute(_, name):
            return name
    return None


def test_cache_with_arguments_is_bounded(modules: dict[str, ast.Module]) -> None:
    """A cache of a function with arguments forgets some results."""
    caches = {f"{path}: {name}" for path, module in modules.items() for name in list_caches(module)}

    assert caches == set(CACHES)


def test_growing_collection_has_a_documented_bound(modules: dict[str, ast.Module]) -> None:
    """Each collection that is filled while a process runs is listed with its bound."""
    growing = {f"{path}: {name}" for path, module in modules.items() for name in list_growing(module)}

    assert growing == set(GROWING)
