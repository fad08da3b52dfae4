"""Expressions of computed metrics and conditions of checks: our signs, Python's syntax tree, never `eval`.

An expression has numbers, names of metrics, brackets, `+ - * /` and the functions `min`, `max`, `mean`, `log`, `exp`
and `round`. A condition also compares with `< <= > >= == !=` and joins by `and`, `or` and `not`. All of it binds as in
Python. A bare name is a function before "(" and a metric everywhere else, so a metric may be called `max`; a name in
single quotes, in which '' is one quote, is always a metric.

One pass over the tokens finds what does not belong there, with its column, and writes them in Python's spelling: a
number as a float, a metric as a string. Python's own parser makes a tree of that, which is walked, not run.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from scoring_core.io.text import suggest_nearest

MAX_LENGTH: Final = 500
MAX_DEPTH: Final = 32
MAX_DIGITS: Final = 15
_MAX_SHOWN: Final = 40
_TOKEN: Final = re.compile(
    r"(?P<NUMBER>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<FUNCTION>[A-Za-z_][A-Za-z0-9_]*+(?=\s*+\())"
    r"|(?P<NAME>[A-Za-z_][A-Za-z0-9_]*)"
    r"|'(?P<QUOTED>(?:[^']|'')*+)'"
    r"|(?P<SIGN>[-+*/(),])"
    r"|(?P<COMPARISON>[<>]=?|[=!]=)"
    r"|(?P<SPACE>\s+)"
    r"|(?P<OTHER>.)"
)
_HINTS: Final = {
    "'": "; a quoted name ends with a single quote",
    '"': "; quote names with single quotes",
    "\u2018": "; quote names with straight single quotes",
    "\u2019": "; quote names with straight single quotes",
    "=": "; equal is ==",
    "^": "; there is no power: multiply, or take exp(y * log(x))",
}
_WORDS: Final = frozenset({"and", "or", "not"})
_ARITHMETIC: Final = frozenset("+-*/")
_BINARY: Final = _ARITHMETIC | {"<", "<=", ">", ">=", "==", "!=", "and", "or"}
_BEFORE_CONDITION: Final = frozenset({"", "(", "and", "or", "not"})


class ExpressionError(ValueError):
    """An expression is wrong; the owner of the benchmark must fix it.

    Args:
        message: What was expected and what was found.
        position: The column in the text, from 1; None for the whole.
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message if position is None else f"{message} (column {position})")
        self.message = message
        self.position = position


class NumberTooLarge(ValueError):
    """A step of an expression is beyond all doubles."""


def _round(value: float, digits: float = 0) -> float:
    return round(value, int(digits))


def _log(value: float) -> float:
    if value <= 0:
        raise ValueError("logarithm of a number that is not positive")
    return math.log(value)


class _Function(NamedTuple):
    apply: Callable[..., float]
    most_values: float


_FUNCTIONS: Final[Mapping[str, _Function]] = {
    "min": _Function(lambda *values: min(values), math.inf),
    "max": _Function(lambda *values: max(values), math.inf),
    "mean": _Function(lambda *values: math.fsum(values) / len(values), math.inf),
    "log": _Function(_log, 1),
    "exp": _Function(math.exp, 1),
    "round": _Function(_round, 2),
}
_OPERATORS: Final[Mapping[type[ast.AST], Callable[..., float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression.

    Args:
        text: As it was written.
        tree: Python's tree of it, in which a float is a number and a string is the name of a metric.
    """

    text: str
    tree: ast.expr = field(repr=False, compare=False)

    @property
    def names(self) -> frozenset[str]:
        """The metrics that it reads."""
        constants = (node.value for node in ast.walk(self.tree) if isinstance(node, ast.Constant))
        return frozenset(value for value in constants if isinstance(value, str))

    def compute(self, scores: Mapping[str, float]) -> float:
        """Compute the value from these scores, metric → number.

        Returns:
            A finite double, never -0.0; of a condition 1.0 if it holds and 0.0 if not.

        Raises:
            NumberTooLarge: A step overflows.
            ValueError: There is none: a metric that it reads is absent or not finite, at a division by 0 or a logarithm
                of a number that is not positive. The message says why.

        >>> parse("mean(stop, 'First Response Delay')").compute({"stop": 1, "First Response Delay": 2.5})
        1.75
        """
        try:
            return _compute(self.tree, scores) + 0.0  # -0.0 + 0.0 is 0.0
        except KeyError as error:
            raise ValueError(f"{error} has no value") from None
        except ZeroDivisionError:
            raise ValueError("division by 0") from None
        except ArithmeticError:
            raise NumberTooLarge("a number is too large") from None


def _compute(node: ast.expr, scores: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=str(name)):
            value = float(scores[name])
        case ast.Constant(value=float(value)):
            pass
        case ast.UnaryOp(op=sign, operand=operand):
            value = float(_OPERATORS[type(sign)](_compute(operand, scores)))
        case ast.BinOp(left=left, op=sign, right=right) | ast.Compare(left=left, ops=[sign], comparators=[right]):
            value = float(_OPERATORS[type(sign)](_compute(left, scores), _compute(right, scores)))
        case ast.BoolOp(op=word, values=operands):
            for operand in operands:
                value = _compute(operand, scores)
                if bool(value) is isinstance(word, ast.Or):
                    break
        case ast.Call(func=ast.Name(id=name), args=operands):
            value = float(_FUNCTIONS[name].apply(*[_compute(operand, scores) for operand in operands]))
        case _:
            raise TypeError(f"no part of an expression: {ast.dump(node)}")
    if not math.isfinite(value):
        raise OverflowError
    return value


def parse(text: str) -> Expression:
    """Parse an expression. Raises ExpressionError with the column of the fault.

    Args:
        text: At most 500 characters, brackets nested at most 32 deep. `log` is natural; `min`, `max` and `mean` take
            one or more values; `round(x)` and `round(x, digits)` round as Python does (the binary value, a half to
            the even neighbour), with digits a literal whole number from -15 to 15.

    >>> parse("(1 + 'Hit Rate') * 2").compute({"Hit Rate": 0.5})
    3.0
    """
    return _parse(text, is_condition=False)


def parse_condition(text: str) -> Expression:
    """Parse a condition. Raises ExpressionError with the column of the fault.

    Args:
        text: As for `parse`: comparisons of sums, joined by `and`, `or` and `not`. What comes after `and` is not
            computed if what is before it does not hold, nor what comes after `or` if it does.

    >>> parse_condition("time >= 3 and (coins == 0 or time / coins < 2)").compute({"time": 3, "coins": 0})
    1.0
    """
    return _parse(text, is_condition=True)


def _parse(text: str, *, is_condition: bool) -> Expression:
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"expected at most {MAX_LENGTH} characters, found {len(text)}")
    tokens = translate(text, is_condition=is_condition)
    # A token a line: the line of a node says at which token it begins.
    tree = ast.parse("\n".join(["(", *(token.python for token in tokens), ")"]), mode="eval").body
    _check(tree, tokens, is_condition=is_condition)
    return Expression(text, tree)


class Lexeme(NamedTuple):
    """A part of an expression.

    Args:
        kind: "operand", "function" or "end"; or the sign or word that it is.
        written: As it was written, a name without its quotes; "" at the end.
        python: In Python's spelling.
        position: The column in the text, from 1.
    """

    kind: str
    written: str
    python: str
    position: int

    def error(self, expected: str, hint: str = "") -> ExpressionError:
        """Return the error that something else was expected here."""
        shown = _show(self.written) if self.written else "the end"
        return ExpressionError(f"expected {expected}, found {shown}{hint}", self.position)


def translate(text: str, *, is_condition: bool) -> list[Lexeme]:
    """Return the tokens of an expression of any length.

    Of two minus signs in a row neither is returned, nor of two words `not`. Raises ExpressionError if operands and
    operators do not take turns, or brackets do not match.
    """
    words = _WORDS if is_condition else frozenset()
    operators = _BINARY if is_condition else _ARITHMETIC
    tokens: list[Lexeme] = []
    brackets: list[tuple[str, float]] = []  # the function before each open one, and how many more values it takes
    awaits_operand = True
    for token in _read_tokens(text, words):
        before = tokens[-1].python.strip() if tokens else ""
        match token.kind:
            case "-" | "not" as sign if awaits_operand and (sign == "-" or before in _BEFORE_CONDITION):
                if tokens and tokens[-1].python == f" {sign}":
                    tokens.pop()
                    continue
                token = token._replace(python=f" {sign}")  # noqa: PLW2901  # a space, unlike the minus between two
            case "operand" | "function" if awaits_operand:
                awaits_operand = token.kind == "function"
            case "(" if awaits_operand:
                _open_bracket(brackets, before, token.position)
            case ")" if brackets and not awaits_operand:
                brackets.pop()
            case "," if brackets and brackets[-1][1] and not awaits_operand:
                brackets[-1] = (brackets[-1][0], brackets[-1][1] - 1)
                awaits_operand = True
            case "end" if not brackets and not awaits_operand:
                break
            case _ if token.kind in operators and not awaits_operand:
                awaits_operand = True
            case _:
                raise _misplaced(token, brackets, awaits_operand=awaits_operand)
        tokens.append(token)
    return tokens


def _open_bracket(brackets: list[tuple[str, float]], function: str, position: int) -> None:
    brackets.append((function, _FUNCTIONS[function].most_values - 1 if function in _FUNCTIONS else 0))
    if len(brackets) > MAX_DEPTH:
        raise ExpressionError(f"expected brackets at most {MAX_DEPTH} deep, found more", position)


def _misplaced(token: Lexeme, brackets: Sequence[tuple[str, float]], *, awaits_operand: bool) -> ExpressionError:
    if awaits_operand:
        hint = "; quote a name that is and, or or not" if token.kind in _WORDS else ""
        return token.error('a number, a metric, a function or "("', hint)
    hint = ""
    if token.kind == "," and brackets and brackets[-1][0] in _FUNCTIONS:
        hint = f"; {brackets[-1][0]} takes no further value"
    elif token.written.isidentifier():
        hint = "; a name with spaces needs single quotes"
    return token.error('")" or an operator' if brackets else "an operator", hint)


def _read_tokens(text: str, words: Collection[str]) -> Iterator[Lexeme]:
    for match in _TOKEN.finditer(text):
        group, position = str(match.lastgroup), match.start() + 1
        written = match[group]
        match group:
            case "SPACE":
                continue
            case "OTHER":
                raise ExpressionError(f"unexpected {_show(written)}{_hint(written)}", position)
            case "NUMBER" if not math.isfinite(float(written)):
                raise ExpressionError(f"the number {_show(written)} is too large", position)
            case "NUMBER":
                yield Lexeme("operand", written, repr(float(written)), position)
            case "QUOTED" if not written:
                raise ExpressionError("expected a name between the quotes, found none", position)
            case "FUNCTION" if written not in words and written not in _FUNCTIONS:
                hint = suggest_nearest(written, [*_FUNCTIONS])
                raise ExpressionError(f"unknown function {_show(written)}; {hint}", position)
            case "FUNCTION" if written not in words:
                yield Lexeme("function", written, written, position)
            case "QUOTED" | "NAME" if group == "QUOTED" or written not in words:
                name = written.replace("''", "'")
                yield Lexeme("operand", name, ascii(name), position)
            case _:
                yield Lexeme(written, written, written, position)
    yield Lexeme("end", "", "", len(text) + 1)


def _check(node: ast.expr, tokens: Sequence[Lexeme], *, is_condition: bool) -> None:
    """Raise ExpressionError at what Python takes and an expression does not.

    That is a number in place of a condition or the reverse, a third value to compare, and computed digits of `round`.
    """
    joins = isinstance(node, ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
    if (joins or isinstance(node, ast.Compare)) is not is_condition:
        fault = "a condition, such as x >= 3, found a number" if is_condition else "a number, found a condition"
        raise ExpressionError(f"expected {fault}", tokens[node.lineno - 2].position)
    match node:
        case ast.Compare(comparators=[_, further, *_]):
            fault = "expected two values of a comparison, found a third; compare two at a time: 3 <= x and x <= 100"
            raise ExpressionError(fault, tokens[further.lineno - 2].position)
        case ast.Call(func=ast.Name(id="round"), args=[_, digits]):
            number = digits.operand if isinstance(digits, ast.UnaryOp) else digits
            value = number.value if isinstance(number, ast.Constant) else None
            if not isinstance(value, float) or value > MAX_DIGITS or not value.is_integer():
                expected = f"a whole number of digits from -{MAX_DIGITS} to {MAX_DIGITS}"
                raise tokens[number.lineno - 2].error(expected)
    for operand in ast.iter_child_nodes(node):
        if isinstance(operand, ast.expr) and not isinstance(operand, ast.Name):
            _check(operand, tokens, is_condition=joins)


def _show(text: str) -> str:
    return repr(text) if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]!r}…"


def _hint(character: str) -> str:
    if character.isalpha():
        return "; a name with other letters than A to Z needs single quotes"
    return _HINTS.get(character, "")
