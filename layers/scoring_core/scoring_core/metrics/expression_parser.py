"""The grammar of expressions: text → tokens → a postfix program.

    sum      = product (("+" | "-") product)*
    product  = unary (("*" | "/") unary)*
    unary    = "-"* operand
    operand  = number | metric | "(" sum ")" | function "(" sum ("," sum)* ")"
    metric   = [A-Za-z_][A-Za-z0-9_]*  or any name in single quotes, in which '' is one quote
    function = min | max | mean | log | exp | round

A bare name is a function before "(", and a metric everywhere else, so a metric may be called `max`; in quotes it is
always a metric. The typographic signs for minus, times, divided by, ≤, ≥ and ≠ are accepted too.

A condition compares sums; in it the bare words `and`, `or` and `not` are operators, and brackets may hold conditions:

    condition  = both ("or" both)*
    both       = negation ("and" negation)*
    negation   = "not"* comparison
    comparison = sum ("<" | "<=" | ">" | ">=" | "==" | "!=") sum  or  "(" condition ")"
"""

import math
import operator
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum, auto
from typing import NamedTuple

MAX_DEPTH = 32
MAX_DIGITS = 15
_MAX_SHOWN = 40
_TOKEN = re.compile(
    r"(?P<NUMBER>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<NAME>[A-Za-z_][A-Za-z0-9_]*)"
    r"|'(?P<QUOTED>(?:[^']|'')*+)'"
    r"|(?P<SIGN>[-+*/(),\u2212\u00d7\u00f7])"
    r"|(?P<COMPARISON>[<>]=?|[=!]=|[\u2264\u2265\u2260])"
    r"|(?P<SPACE>\s+)"
)
_TYPOGRAPHIC = str.maketrans(
    {"\u2212": "-", "\u00d7": "*", "\u00f7": "/", "\u2264": "<=", "\u2265": ">=", "\u2260": "!="}
)
_HINTS = {
    "'": "; a quoted name ends with a single quote",
    '"': "; quote names with single quotes",
    "\u2018": "; quote names with straight single quotes",
    "\u2019": "; quote names with straight single quotes",
    "=": "; equal is ==",
    "^": "; there is no power: multiply, or take exp(y * log(x))",
}


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


@dataclass(frozen=True, slots=True)
class Constant:
    """Pushes a number."""

    value: float


@dataclass(frozen=True, slots=True)
class MetricName:
    """Pushes the score of a metric."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """Replaces the last `arity` values by the value of a function."""

    apply: Callable[..., float]
    arity: int


@dataclass(frozen=True, slots=True)
class Jump:
    """Goes on at instruction `target` if the last value is `if_true`; otherwise drops that value. Only ever forward."""

    if_true: bool
    target: int


type Instruction = Constant | MetricName | Call | Jump


def parse_program(text: str) -> tuple[Instruction, ...]:
    """Parse an expression into a postfix program. Raises ExpressionError."""
    return tuple(_Parser(_read_tokens(text)).parse())


def parse_condition_program(text: str) -> tuple[Instruction, ...]:
    """Parse a condition into a postfix program of 1 or 0. Raises ExpressionError."""
    return tuple(_Parser(_read_tokens(text), takes_conditions=True).parse())


def suggest(name: str, names: Collection[str]) -> str:
    """Return "; did you mean …?" with the nearest of these names in any case, or ""."""
    by_folded = {other.casefold(): other for other in sorted(names)}
    nearest = get_close_matches(name.casefold(), by_folded, n=1)
    return f"; did you mean {by_folded[nearest[0]]!r}?" if nearest else ""


class _Kind(Enum):
    NUMBER = auto()
    NAME = auto()
    QUOTED = auto()
    SIGN = auto()
    COMPARISON = auto()
    END = auto()


class _Token(NamedTuple):
    """A number as written, a name without its quotes, an ASCII sign, or "" at the end; positions count from 1."""

    kind: _Kind
    text: str
    position: int

    def is_sign(self, sign: str) -> bool:
        return self.kind is _Kind.SIGN and self.text == sign

    def is_word(self, word: str) -> bool:
        return self.kind is _Kind.NAME and self.text == word

    @property
    def shown(self) -> str:
        return "the end" if self.kind is _Kind.END else _show(self.text)


def _read_tokens(text: str) -> list[_Token]:
    tokens = []
    start = 0
    while start < len(text):
        match = _TOKEN.match(text, start)
        if match is None:
            raise ExpressionError(f"unexpected {_show(text[start])}{_hint(text[start])}", start + 1)
        if match.lastgroup != "SPACE":
            tokens.append(_make_token(match))
        start = match.end()
    return [*tokens, _Token(_Kind.END, "", len(text) + 1)]


def _make_token(match: re.Match[str]) -> _Token:
    kind = _Kind[str(match.lastgroup)]
    text, position = match[kind.name], match.start() + 1
    match kind:
        case _Kind.NUMBER if not math.isfinite(float(text)):
            raise ExpressionError(f"the number {_show(text)} is too large", position)
        case _Kind.QUOTED if not text:
            raise ExpressionError("expected a name between the quotes, found none", position)
        case _Kind.QUOTED:
            text = text.replace("''", "'")
        case _Kind.SIGN | _Kind.COMPARISON:
            text = text.translate(_TYPOGRAPHIC)
    return _Token(kind, text, position)


def _show(text: str) -> str:
    return repr(text) if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]!r}…"


def _hint(character: str) -> str:
    if character.isalpha():
        return "; a name with other letters than A to Z needs single quotes"
    return _HINTS.get(character, "")


def _round(value: float, digits: float = 0) -> float:
    return round(float(value), int(digits))


def _log(value: float) -> float:
    if value <= 0:
        raise ValueError("logarithm of a number that is not positive")
    return math.log(value)


_VARIADIC: Mapping[str, Callable[..., float]] = {
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "mean": lambda *values: math.fsum(values) / len(values),
}
_UNARY: Mapping[str, Callable[..., float]] = {"log": _log, "exp": math.exp, "round": _round}
_FUNCTIONS = (*_VARIADIC, *_UNARY)
_SUMS: Mapping[str, Callable[..., float]] = {"+": operator.add, "-": operator.sub}
_PRODUCTS: Mapping[str, Callable[..., float]] = {"*": operator.mul, "/": operator.truediv}
_COMPARISONS: Mapping[str, Callable[..., float]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_WORDS = frozenset({"and", "or", "not"})


class _Parser:
    """Recursive descent that writes the program as it goes; only brackets recurse, and their depth is limited."""

    def __init__(self, tokens: list[_Token], *, takes_conditions: bool = False) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0
        self._program: list[Instruction] = []
        self._takes_conditions = takes_conditions
        self._is_condition = False  # what was parsed last, rather than a number

    def parse(self) -> list[Instruction]:
        start = self._token
        self._parse_either()
        if self._token.kind is not _Kind.END:
            raise self._error("an operator", hint=self._hint_after_operand())
        if self._takes_conditions:
            self._check_kind(start, is_condition=True)
        return self._program

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _parse_either(self) -> None:
        """Parse a condition where there may be one, else a sum."""
        if self._takes_conditions:
            self._parse_junction("or", self._parse_both, if_true=True)
        else:
            self._parse_sum()

    def _parse_both(self) -> None:
        self._parse_junction("and", self._parse_negation, if_true=False)

    def _parse_junction(self, word: str, parse_operand: Callable[[], None], *, if_true: bool) -> None:
        """Parse operands of which the later ones are not computed once one is `if_true`."""
        start = self._token
        parse_operand()
        while self._token.is_word(word):
            self._check_kind(start, is_condition=True)
            self._next += 1
            jump = len(self._program)
            self._program.append(Jump(if_true, jump))
            self._parse_as(parse_operand, is_condition=True)
            self._program[jump] = Jump(if_true, len(self._program))

    def _parse_negation(self) -> None:
        self._parse_prefixed(
            lambda token: token.is_word("not"), self._parse_comparison, operator.not_, is_condition=True
        )

    def _parse_comparison(self) -> None:
        start = self._token
        self._parse_sum()
        if self._token.kind is not _Kind.COMPARISON:
            return
        compare = _COMPARISONS[self._token.text]
        self._check_kind(start, is_condition=False)
        self._next += 1
        self._parse_as(self._parse_sum, is_condition=False)
        self._program.append(Call(compare, 2))
        self._is_condition = True
        if self._token.kind is _Kind.COMPARISON:
            raise self._error('"and" or "or"', hint="; compare two at a time: 3 <= x and x <= 100")

    def _parse_prefixed(
        self,
        is_prefix: Callable[[_Token], bool],
        parse_operand: Callable[[], None],
        apply: Callable[[float], float],
        *,
        is_condition: bool,
    ) -> None:
        """Parse an operand after any number of operators, of which two undo each other."""
        first = self._next
        while is_prefix(self._token):
            self._next += 1
        start, count = self._token, self._next - first
        parse_operand()
        if count:
            self._check_kind(start, is_condition=is_condition)
        if count % 2:
            self._program.append(Call(apply, 1))

    def _parse_as(self, parse: Callable[[], None], *, is_condition: bool) -> None:
        """Parse an operand of this kind."""
        start = self._token
        parse()
        self._check_kind(start, is_condition=is_condition)

    def _check_kind(self, start: _Token, *, is_condition: bool) -> None:
        """Raise ExpressionError if what was parsed from `start` is of the other kind."""
        if self._is_condition is not is_condition:
            fault = "a condition, such as x >= 3, found a number" if is_condition else "a number, found a condition"
            raise ExpressionError(f"expected {fault}", start.position)

    def _parse_sum(self) -> None:
        self._parse_chain(_SUMS, self._parse_product)

    def _parse_product(self) -> None:
        self._parse_chain(_PRODUCTS, self._parse_unary)

    def _parse_chain(self, operators: Mapping[str, Callable[..., float]], parse_operand: Callable[[], None]) -> None:
        start = self._token
        parse_operand()
        while self._token.kind is _Kind.SIGN and (apply := operators.get(self._token.text)):
            self._check_kind(start, is_condition=False)
            self._next += 1
            self._parse_as(parse_operand, is_condition=False)
            self._program.append(Call(apply, 2))

    def _parse_unary(self) -> None:
        self._parse_prefixed(lambda token: token.is_sign("-"), self._parse_operand, operator.neg, is_condition=False)

    def _parse_operand(self) -> None:
        token = self._token
        self._is_condition = False
        match token.kind:
            case _Kind.NAME if self._takes_conditions and token.text in _WORDS:
                raise self._error('a number, a name, a function or "("', hint="; quote a name that is and, or or not")
            case _Kind.NUMBER:
                self._next += 1
                self._program.append(Constant(float(token.text)))
            case _Kind.NAME if self._tokens[self._next + 1].is_sign("("):
                self._parse_call(token)
            case _Kind.NAME | _Kind.QUOTED:
                self._next += 1
                self._program.append(MetricName(token.text))
            case _Kind.SIGN if token.text == "(":
                self._next += 1
                self._parse_nested(self._parse_either)
                self._expect(")")
            case _:
                raise self._error('a number, a metric, a function or "("')

    def _parse_call(self, function: _Token) -> None:
        if function.text not in _FUNCTIONS:
            hint = suggest(function.text, _FUNCTIONS) or f"; there are {', '.join(_FUNCTIONS)}"
            raise ExpressionError(f"unknown function {function.shown}{hint}", function.position)
        self._next += 2
        self._parse_argument()
        if function.text in _VARIADIC:
            arity = 1
            while self._token.is_sign(","):
                self._next += 1
                self._parse_argument()
                arity += 1
            self._program.append(Call(_VARIADIC[function.text], arity))
        elif function.text == "round" and self._token.is_sign(","):
            self._next += 1
            self._program += [Constant(self._parse_digits()), Call(_round, 2)]
        else:
            self._program.append(Call(_UNARY[function.text], 1))
        self._expect(")", hint=f"; {function.text} takes no further value" if self._token.is_sign(",") else "")

    def _parse_argument(self) -> None:
        self._parse_as(lambda: self._parse_nested(self._parse_sum), is_condition=False)

    def _parse_nested(self, parse: Callable[[], None]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(f"expected brackets at most {MAX_DEPTH} deep, found more", self._token.position)
        parse()
        self._depth -= 1

    def _parse_digits(self) -> float:
        negated = self._token.is_sign("-")
        self._next += negated
        token = self._token
        digits = float(token.text) if token.kind is _Kind.NUMBER else math.inf
        if digits > MAX_DIGITS or not digits.is_integer():
            raise self._error(f"a whole number of digits from -{MAX_DIGITS} to {MAX_DIGITS}")
        self._next += 1
        return -digits if negated else digits

    def _expect(self, sign: str, *, hint: str = "") -> None:
        if not self._token.is_sign(sign):
            raise self._error(f'"{sign}" or an operator', hint=hint or self._hint_after_operand())
        self._next += 1

    def _hint_after_operand(self) -> str:
        return "; a name with spaces needs single quotes" if self._token.kind is _Kind.NAME else ""

    def _error(self, expected: str, *, hint: str = "") -> ExpressionError:
        return ExpressionError(f"expected {expected}, found {self._token.shown}{hint}", self._token.position)
