"""The grammar of expressions: tokens → a postfix program.

    sum      = product (("+" | "-") product)*
    product  = unary (("*" | "/") unary)*
    unary    = "-"* operand
    operand  = number | header | "(" sum ")" | function "(" sum ("," sum)* ")"
    header   = [A-Za-z_][A-Za-z0-9_]*  or any name in single quotes, in which '' stands for one quote
    function = min | max | mean | log | exp | round

A bare name is a function where "(" follows, and a header everywhere else, so a header may be called `max`; in quotes
it is always a header. Also read are the typographic signs for minus, times and divided by.
"""

import math
import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from scoring_core.metrics.expression_tokens import ExpressionError, ExpressionToken, TokenKind, read_tokens

MAX_DEPTH = 32
MAX_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Constant:
    """Pushes a number."""

    value: float


@dataclass(frozen=True, slots=True)
class MetricName:
    """Pushes the score of a header."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """Replaces the last `arity` values by what a function makes of them."""

    apply: Callable[..., float]
    arity: int


type Instruction = Constant | MetricName | Call


def parse_program(text: str) -> tuple[Instruction, ...]:
    """Parse an expression into a postfix program. Raises ExpressionError."""
    return tuple(_Parser(read_tokens(text)).parse())


def suggest(name: str, known: Collection[str]) -> str:
    """Give "; did you mean …?" with the nearest known name, whatever its case, or ""."""
    by_folded = {other.casefold(): other for other in sorted(known)}
    nearest = get_close_matches(name.casefold(), by_folded, n=1)
    return f"; did you mean {by_folded[nearest[0]]!r}?" if nearest else ""


def _least(*values: float) -> float:
    return min(values)


def _greatest(*values: float) -> float:
    return max(values)


def _mean(*values: float) -> float:
    return math.fsum(values) / len(values)


def _round(value: float) -> float:
    return float(round(value))


def _round_to(value: float, digits: float) -> float:
    return round(value, int(digits))


_VARIADIC: Mapping[str, Callable[..., float]] = {"min": _least, "max": _greatest, "mean": _mean}
_UNARY: Mapping[str, Callable[..., float]] = {"log": math.log, "exp": math.exp, "round": _round}
_FUNCTIONS = (*_VARIADIC, *_UNARY)
_SUMS: Mapping[str, Callable[..., float]] = {"+": operator.add, "-": operator.sub}
_PRODUCTS: Mapping[str, Callable[..., float]] = {"*": operator.mul, "/": operator.truediv}


class _Parser:
    """Recursive descent that writes the postfix program as it goes; only brackets recurse, and they are counted."""

    def __init__(self, tokens: list[ExpressionToken]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0
        self._program: list[Instruction] = []

    def parse(self) -> list[Instruction]:
        self._parse_sum()
        if self._token.kind is not TokenKind.END:
            raise self._error("an operator", hint=self._hint_after_operand())
        return self._program

    @property
    def _token(self) -> ExpressionToken:
        return self._tokens[self._next]

    def _parse_sum(self) -> None:
        self._parse_chain(_SUMS, self._parse_product)

    def _parse_product(self) -> None:
        self._parse_chain(_PRODUCTS, self._parse_unary)

    def _parse_chain(self, operators: Mapping[str, Callable[..., float]], parse_operand: Callable[[], None]) -> None:
        parse_operand()
        while self._token.kind is TokenKind.SIGN and (apply := operators.get(self._token.text)):
            self._next += 1
            parse_operand()
            self._program.append(Call(apply, 2))

    def _parse_unary(self) -> None:
        negated = False
        while self._token.is_sign("-"):
            self._next += 1
            negated = not negated
        self._parse_operand()
        if negated:
            self._program.append(Call(operator.neg, 1))

    def _parse_operand(self) -> None:
        token = self._token
        match token.kind:
            case TokenKind.NUMBER:
                self._next += 1
                self._program.append(Constant(float(token.text)))
            case TokenKind.NAME if self._tokens[self._next + 1].is_sign("("):
                self._parse_call(token)
            case TokenKind.NAME | TokenKind.QUOTED:
                self._next += 1
                self._program.append(MetricName(token.text))
            case TokenKind.SIGN if token.text == "(":
                self._next += 1
                self._parse_nested_sum()
                self._expect(")")
            case _:
                raise self._error('a number, a header, a function or "("')

    def _parse_call(self, function: ExpressionToken) -> None:
        if function.text not in _FUNCTIONS:
            hint = suggest(function.text, _FUNCTIONS) or f"; there are {', '.join(_FUNCTIONS)}"
            raise ExpressionError(f"unknown function {function.shown}{hint}", function.position)
        self._next += 2
        self._parse_nested_sum()
        if function.text in _VARIADIC:
            arity = 1
            while self._token.is_sign(","):
                self._next += 1
                self._parse_nested_sum()
                arity += 1
            self._program.append(Call(_VARIADIC[function.text], arity))
        elif function.text == "round" and self._token.is_sign(","):
            self._next += 1
            self._program += [Constant(self._parse_digits()), Call(_round_to, 2)]
        else:
            self._program.append(Call(_UNARY[function.text], 1))
        self._expect(")", hint=f"; {function.text} takes no further value" if self._token.is_sign(",") else "")

    def _parse_nested_sum(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(f"expected brackets at most {MAX_DEPTH} deep, found more", self._token.position)
        self._parse_sum()
        self._depth -= 1

    def _parse_digits(self) -> float:
        negated = self._token.is_sign("-")
        self._next += negated
        token = self._token
        digits = float(token.text) if token.kind is TokenKind.NUMBER else math.inf
        if digits > MAX_DIGITS or not digits.is_integer():
            raise self._error(f"a whole number of digits from -{MAX_DIGITS} to {MAX_DIGITS}")
        self._next += 1
        return -digits if negated else digits

    def _expect(self, sign: str, *, hint: str = "") -> None:
        if not self._token.is_sign(sign):
            raise self._error(f'"{sign}" or an operator', hint=hint or self._hint_after_operand())
        self._next += 1

    def _hint_after_operand(self) -> str:
        return "; a name with spaces stands in single quotes" if self._token.kind is TokenKind.NAME else ""

    def _error(self, expected: str, *, hint: str = "") -> ExpressionError:
        return ExpressionError(f"expected {expected}, found {self._token.shown}{hint}", self._token.position)
