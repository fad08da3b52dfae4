"""Expressions of random trees agree with Python, and random texts raise nothing but the one error."""

import math
from collections.abc import Callable
from typing import NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from scoring_core.metrics.expressions import Expression, ExpressionError, parse, parse_condition
from scoring_core.metrics.score_type import order

NAMES = ("Coins", "_x1", "max", "First Response Delay", "it's", "\u00d7")
BARE = {"Coins", "_x1", "max"}
OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
}
FUNCTIONS: dict[str, Callable[[list[float]], float]] = {
    "min": min,
    "max": max,
    "mean": lambda values: math.fsum(values) / len(values),
}
ONE_VALUE: dict[str, Callable[[float], float]] = {"log": math.log, "exp": math.exp, "round": round}


class Tree(NamedTuple):
    """A random expression: how it is written in full brackets, and what Python makes of it."""

    text: str
    compute: Callable[[dict[str, float]], float]


def _write_name(name: str) -> str:
    return name if name in BARE else "'" + name.replace("'", "''") + "'"


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise OverflowError
    return value


def _binary(left: Tree, sign: str, right: Tree) -> Tree:
    return Tree(
        f"({left.text} {sign}{right.text})",
        lambda scores: _finite(OPERATIONS[sign](left.compute(scores), right.compute(scores))),
    )


def _call(name: str, inner: list[Tree]) -> Tree:
    return Tree(
        f"{name}({', '.join(tree.text for tree in inner)})",
        lambda scores: FUNCTIONS[name]([tree.compute(scores) for tree in inner]),
    )


def _apply(name: str, inner: Tree) -> Tree:
    return Tree(f"{name} ( {inner.text} )", lambda scores: float(ONE_VALUE[name](inner.compute(scores))))


def _negate(inner: Tree) -> Tree:
    return Tree(f"-{inner.text}", lambda scores: -inner.compute(scores))


leaves = st.floats(0, 1e300).map(lambda value: Tree(repr(value), lambda _: value)) | st.sampled_from(NAMES).map(
    lambda name: Tree(_write_name(name), lambda scores: float(scores[name]))
)
trees = st.recursive(
    leaves,
    lambda inner: (
        st.builds(_binary, inner, st.sampled_from(list(OPERATIONS)), inner)
        | st.builds(_call, st.sampled_from(list(FUNCTIONS)), st.lists(inner, min_size=1, max_size=3))
        | st.builds(_apply, st.sampled_from(list(ONE_VALUE)), inner)
        | st.builds(_negate, inner)
    ),
    max_leaves=8,
).filter(lambda tree: len(tree.text) <= 500)
rows = st.dictionaries(st.sampled_from(NAMES), st.floats(-1e6, 1e6) | st.integers(-100, 100), min_size=3)
texts = st.text(max_size=60) | st.lists(
    st.sampled_from(
        [
            "1",
            "2.5",
            "a",
            "'b c'",
            "max",
            "round",
            "(",
            ")",
            ",",
            "+",
            "-",
            "*",
            "/",
            "'",
            " ",
            "1e9",
            ">",
            "==",
            " and ",
            " or ",
            "not ",
        ]
    ),
    max_size=60,
).map("".join)


def compute(expression: Expression, row: dict[str, float]) -> float | None:
    """Return the value, or None without one."""
    try:
        return expression.compute(row)
    except ValueError:
        return None


@given(trees, rows)
def test_agrees_with_python(tree: Tree, row: dict[str, float]) -> None:
    """A written tree is worth what Python computes from it, to the last bit, and is absent where Python raises."""
    try:
        expected: float | None = tree.compute(row)
    except (ArithmeticError, ValueError, KeyError):
        expected = None

    assert compute(parse(tree.text), row) == expected


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=12), st.lists(st.sampled_from("+-*/"), min_size=11))
def test_precedence_agrees_with_python(values: list[float], signs: list[str]) -> None:
    """A chain without brackets means what it means in Python."""
    text = repr(values[0]) + "".join(sign + repr(value) for sign, value in zip(signs, values[1:], strict=False))

    assert parse(text).compute({}) == eval(text)  # noqa: S307  # Python is the reference; the text is made of numbers


sums = st.recursive(
    st.sampled_from(["a", "b", "0", "1", "2.5", "-a"]),
    lambda inner: (
        st.builds("{} {} {}".format, inner, st.sampled_from("+-*/"), inner)
        | st.builds("({})".format, inner)
        | st.builds("max({}, {})".format, inner, inner)
    ),
    max_leaves=4,
)
conditions = st.recursive(
    st.builds("{} {} {}".format, sums, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), sums),
    lambda inner: (
        st.builds("{} {} {}".format, inner, st.sampled_from(["and", "or"]), inner)
        | st.builds("({})".format, inner)
        | st.builds("not {}".format, inner)
    ),
    max_leaves=6,
).filter(lambda text: len(text) <= 500)


@given(conditions, st.fixed_dictionaries({"a": st.integers(-3, 3), "b": st.floats(-3, 3)}))
@example("a == 0 or 1 / a > 0", {"a": 0, "b": 0.0})
@example("not a > 1 and b > 1 or a > 2", {"a": 3, "b": 0.0})
def test_condition_agrees_with_python(text: str, row: dict[str, float]) -> None:
    """A condition means what it means in Python, where the same parts of it are never computed."""
    try:
        expected: bool | None = eval(text, {"max": max}, {**row, "a": float(row["a"])})  # noqa: S307  # as above
    except ZeroDivisionError:
        expected = None

    assert compute(parse_condition(text), row) == expected


@given(texts)
@example("(" * 500)
@example("'" * 499)
@example("-" * 500)
@example("round(1,-")
def test_any_text_is_evaluated_or_refused(text: str) -> None:
    """A text is parsed and worth a finite number or nothing, or refused with the one error and a column inside it."""
    for read in (parse, parse_condition):
        position: int | None = 1
        value: float | None = None

        try:
            expression = read(text)
            value = compute(expression, dict.fromkeys(expression.names, 2.0))
        except ExpressionError as error:
            position = error.position

        assert position in range(1, len(text) + 2)
        assert value is None or math.isfinite(value)


@given(st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdefxy"), min_size=1), max_size=6))
def test_metrics_are_ordered_by_what_they_read_or_refused(reads: dict[str, set[str]]) -> None:
    """Whatever reads what, the order puts what is read first, or the headers are refused."""
    expressions = {header: parse(" + ".join(sorted(names))) for header, names in reads.items()}

    try:
        ordered = order(expressions, "xy")
    except ExpressionError:
        return

    assert sorted(ordered) == sorted(reads)
    for place, header in enumerate(ordered):
        assert reads[header] <= {*"xy", *ordered[:place]}
