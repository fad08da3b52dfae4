"""Finds where an evaluation script may execute code of players, which reads the ground truth beside the script."""

import ast
import warnings
from collections.abc import Iterator, Sequence
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
_OS_CALLS: Final = ("exec", "fork", "popen", "posix_spawn", "spawn", "startfile", "system")
MAX_SHOWN: Final = 3


def warn_of_player_code(script: bytes) -> str | None:
    """Return a warning that names the places; None if there is none.

    A module counts where it is imported, because whatever it is used for can be code of a player: a child process, a
    pickle. It is a hint, not a wall: who wants to hide a call from it can.
    """
    places = list_places(script)
    if not places:
        return None
    shown = ", ".join(f"{name} (line {line})" for line, name in places[:MAX_SHOWN])
    more = f" and {len(places) - MAX_SHOWN} more" if len(places) > MAX_SHOWN else ""
    return (
        f"evaluate.py has {shown}{more}: if that runs what players send, their code can read the ground truth beside "
        "the script and print what is expected, with `isolation: strict` too. See docs/owners.md, Code of players"
    )


def list_places(script: bytes) -> Sequence[tuple[int, str]]:
    """Return line and name of each such import or call, in order."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(script)
        return sorted(set(_walk(tree)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _walk(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names if alias.name.partition(".")[0] in _MODULES)
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in _MODULES:
                yield node.lineno, module
            case ast.ImportFrom(module="os", names=names):
                yield from ((node.lineno, f"os.{each.name}") for each in names if each.name.startswith(_OS_CALLS))
            case ast.Call(func=ast.Name(id=name)) if name in _BUILTINS:
                yield node.lineno, name
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name.startswith(_OS_CALLS):
                yield node.lineno, f"os.{name}"
            case _:
                pass
