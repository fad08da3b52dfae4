"""Every regular expression of the sources, how it is used, and texts that are made to keep it busy."""

import ast
import importlib
import os
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]  # typeshed leaves both out
from re import _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).parents[2]
ROOTS = ("layers/scoring_core", "layers/storage", "functions/sandbox", "functions", ".")
"""What stands on the path: a module's name is its file's path below one of these."""
SOURCES = ("layers", "functions", "sandbox", "cli", "local")
METHODS = frozenset({"match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split"})
_CALL = re.compile(r"\bre\.")
_USE = re.compile(rf"\b(\w+)\.({'|'.join(METHODS)})\b")

ANY_PUMPS = (
    " ",
    "\n",
    "a",
    "A ",
    "0",
    "-",
    "_",
    ".",
    "(",
    '"',
    "'",
    "\\",
    "[",
    ",",
    ";",
    "=",
    "/",
    "M",
    "\x1e",
    "\x00",
)
"""What `make fuzz` repeats besides the parts of an expression."""
ENDINGS = ("", "\x00", "!a")
IS_WHOLE = os.environ.get("HYPOTHESIS_PROFILE") == "fuzz"
"""Whether every text and shape is tried, or the same few each time."""


class Pattern(NamedTuple):
    """A regular expression of a module.

    Args:
        where: File and name, as a message shows them.
        compiled: The expression.
        methods: How the sources use it.
    """

    where: str
    compiled: re.Pattern[Any]
    methods: frozenset[str]


def find_patterns() -> tuple[list[Pattern], set[str]]:
    """Find all regular expressions.

    Return those that a module compiles under a name, and the places (`file:function`) of all others.
    """
    texts = {path: path.read_text("utf-8") for folder in SOURCES for path in _python_files(folder)}
    used = {path: set(_USE.findall(text)) for path, text in texts.items()}
    patterns: list[Pattern] = []
    others: set[str] = set()
    for path, text in texts.items():
        tree = ast.parse(text if _CALL.search(text) else "")  # a text without any is not worth the time
        file = path.relative_to(REPOSITORY).as_posix()
        named = dict(_compiled_names(tree))
        for function, call in _calls(tree):
            if call not in named.values():
                others.add(f"{file}:{function}")
        module = _load(path) if named else None
        for name in named:
            # A public name may be used anywhere.
            users = [used[path]] if name.startswith("_") else used.values()
            methods = frozenset(method for uses in users for user, method in uses if user == name)
            patterns.append(Pattern(f"{file}:{name}", getattr(module, name), methods))
    return patterns, others


def make_texts(pattern: re.Pattern[Any]) -> Iterator[Callable[[int], Any]]:
    """Make texts that repeat, behind what leads to it, what each part of an expression repeats, and then end wrongly.

    Args:
        pattern: The expression, of text or of bytes.
    """
    flags = pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    tree = _parser.parse(pattern.pattern, flags)
    others = [("", pump) for pump in ANY_PUMPS] if IS_WHOLE else []
    pumps = dict.fromkeys([*_pumps(tree, ""), *others, ("", _example(tree) or "x")])
    for (prefix, pump), ending in product(pumps, ENDINGS):
        yield _repeat(prefix, pump, ending, is_bytes=isinstance(pattern.pattern, bytes))


def apply(pattern: re.Pattern[Any], method: str) -> Callable[[Any], object]:
    """Return what applies an expression to a text, to its end."""
    match method:
        case "sub" | "subn":
            return lambda text: getattr(pattern, method)(text[:0], text)
        case "finditer":
            return lambda text: sum(1 for _ in pattern.finditer(text))
        case _:
            applied: Callable[[Any], object] = getattr(pattern, method)
            return applied


def _repeat(prefix: str, pump: str, ending: str, *, is_bytes: bool) -> Callable[[int], Any]:
    def make(size: int) -> Any:
        text = prefix + pump * (size // len(pump)) + ending
        return text.encode("utf-8", "surrogatepass") if is_bytes else text

    return make


def _python_files(folder: str) -> list[Path]:
    return [path for path in sorted((REPOSITORY / folder).rglob("*.py")) if "node_modules" not in path.parts]


def _load(path: Path) -> object:
    root = next(REPOSITORY / root for root in ROOTS if path.is_relative_to(REPOSITORY / root))
    name = ".".join(path.relative_to(root).with_suffix("").parts)
    return importlib.import_module(name)


def _is_call_of_re(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in METHODS | {"compile", "template"}
    )


def _compiled_names(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_call_of_re(value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as value) if _is_call_of_re(value):
                yield name, value


def _calls(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for top in tree.body:
        for node in ast.walk(top):
            if _is_call_of_re(node):
                yield getattr(top, "name", "module"), node


def _pumps(tree: Any, prefix: str) -> Iterator[tuple[str, str]]:
    """Give, for each part that repeats, a text that leads to it and one that it repeats."""
    for operation, argument in tree:
        if operation in {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}:
            _, most, body = argument
            if most > 1:
                yield from ((prefix, pump) for pump in _examples(body) if pump)
            yield from _pumps(body, prefix)
        elif operation is codes.SUBPATTERN:
            yield from _pumps(argument[3], prefix)
        elif operation is codes.ATOMIC_GROUP:
            yield from _pumps(argument, prefix)
        elif operation is codes.BRANCH:
            for branch in argument[1]:
                yield from _pumps(branch, prefix)
        prefix += _example([(operation, argument)])


def _example(tree: Any) -> str:
    return next(iter(_examples(tree)), "")


def _examples(tree: Any) -> list[str]:
    """Return some texts that a tree matches: each choice that it has, the first of each other."""
    parts = [_choices(operation, argument) for operation, argument in tree]
    firsts = [choices[0] if choices else "" for choices in parts]
    examples = ["".join(firsts)]
    for place, choices in enumerate(parts):
        examples += ["".join([*firsts[:place], choice, *firsts[place + 1 :]]) for choice in choices[1:]]
    return list(dict.fromkeys(examples))


_OF_CATEGORY = {
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_DIGIT: "0",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_NOT_WORD: " ",
}


def _choices(operation: Any, argument: Any) -> list[str]:  # noqa: PLR0911  # one for each kind of node
    match operation:
        case codes.LITERAL:
            return [chr(argument)]
        case codes.ANY:
            return ["a", " "]
        case codes.NOT_LITERAL:
            return ["b" if argument == ord("a") else "a"]
        case codes.IN:
            return _members(argument)
        case codes.BRANCH:
            return [example for branch in argument[1] for example in _examples(branch)[:2]]
        case codes.SUBPATTERN:
            return _examples(argument[3])
        case codes.ATOMIC_GROUP:
            return _examples(argument)
        case codes.MAX_REPEAT | codes.MIN_REPEAT | codes.POSSESSIVE_REPEAT:
            return [example * max(argument[0], 1) for example in _examples(argument[2])]
        case _:  # a position, such as a word's end
            return [""]


def _members(members: Any) -> list[str]:
    if members[0][0] is codes.NEGATE:
        tested = re.compile("[" + "".join(map(re.escape, filter(None, _members_in(members[1:])))) + "]")
        return [one for one in "a b0-.\"'\\" if not tested.match(one)][:3] or ["\u00e9"]
    return list(dict.fromkeys(filter(None, _members_in(members))))[:4]


def _members_in(members: Any) -> Iterator[str]:
    for operation, argument in members:
        match operation:
            case codes.LITERAL:
                yield chr(argument)
            case codes.RANGE:
                yield from (chr(argument[0]), chr(argument[1]))
            case codes.CATEGORY:
                yield _OF_CATEGORY[argument]
