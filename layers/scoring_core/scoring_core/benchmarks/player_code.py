"""Finds where an evaluation script may execute code of players, which reads the ground truth beside the script."""

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

_BUILTINS: Final = frozenset({"exec", "eval", "compile", "__import__"})
_MODULES: Final = frozenset(
    {
        "code",
        "dill",
        "cloudpickle",
        "importlib",
        "joblib",
        "marshal",
        "multiprocessing",
        "pickle",
        "pty",
        "runpy",
        "shelve",
    }
    | {"subprocess"}
)
_CALLS: Final = (
    *(f"builtins.{name}" for name in sorted(_BUILTINS)),
    *(f"os.{name}" for name in ("exec", "fork", "popen", "posix_spawn", "spawn", "startfile", "system")),
    "asyncio.create_subprocess_",
    "asyncio.subprocess",
    "pandas.read_pickle",
)
"""How the names of what runs code begin, each a name of a module or a package."""
_NUMPY_LOAD: Final = "numpy.load"
_ALLOW_PICKLE: Final = 2
"""The position of `allow_pickle` among the arguments of `numpy.load`."""
MAX_SHOWN: Final = 3


def warn_of_player_code(script: bytes, file: str = "evaluate.py") -> str | None:
    """Return a warning that names the places; None if there is none.

    A module counts where it is imported, because whatever it is used for can be code of a player: a child process, a
    pickle. Other calls count by the name that an import gave them. It is a hint, not a wall: who wants to hide a call
    from it can.
    """
    places = list_places(script)
    if not places:
        return None
    shown = ", ".join(f"{name} (line {line})" for line, name in places[:MAX_SHOWN])
    more = f" and {len(places) - MAX_SHOWN} more" if len(places) > MAX_SHOWN else ""
    return (
        f"{file} has {shown}{more}: if that runs what players send, their code can read the ground truth beside "
        "the script and print what is expected, with `isolation: strict` too. See docs/sandbox.md, Code of players"
    )


def list_places(script: bytes) -> Sequence[tuple[int, str]]:
    """Return line and name of each such import or call, in order."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(script)
        return sorted({*_list_imports(tree), *_list_calls(tree, dict(_list_names(tree)))})
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _list_imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names if alias.name.partition(".")[0] in _MODULES)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                if module.partition(".")[0] in _MODULES or module.startswith(_CALLS):
                    yield node.lineno, module
                else:
                    full_names = (f"{module}.{alias.name}" for alias in names)
                    yield from ((node.lineno, name) for name in full_names if name.startswith(_CALLS))


def _list_names(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each name that an import makes, and what it stands for."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    top = alias.name.partition(".")[0]
                    yield (alias.asname, alias.name) if alias.asname else (top, top)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from ((alias.asname or alias.name, f"{module}.{alias.name}") for alias in names)


def _list_calls(tree: ast.AST, names: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _BUILTINS:
                yield node.lineno, name
            case ast.Call(func=called) if _find_name(called, names) == _NUMPY_LOAD and _may_unpickle(node):
                yield node.lineno, f"{_NUMPY_LOAD} with allow_pickle"
            case ast.Attribute() if (name := _find_name(node, names)).startswith(_CALLS):
                yield node.lineno, name


def _find_name(node: ast.AST, names: Mapping[str, str]) -> str:
    match node:
        case ast.Name(id=name):
            return names.get(name, "")
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in names:
            return f"{names[name]}.{attribute}"
        case _:
            return ""


def _may_unpickle(call: ast.Call) -> bool:
    """Return whether `numpy.load` may read pickles.

    What is only known as it runs counts.
    """
    arguments = [each.value for each in call.keywords if each.arg in {"allow_pickle", None}]
    arguments += [*call.args[_ALLOW_PICKLE:], *(each for each in call.args if isinstance(each, ast.Starred))]
    return any(not (isinstance(each, ast.Constant) and each.value is False) for each in arguments)
