"""DynamoDB's expressions: conditions, filters, key conditions, updates and projections.

They are parsed once and then read items in DynamoDB's form, of which only attributes at the top may be named.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal
from functools import lru_cache
from operator import ge, gt, le, lt
from typing import Any, Final, NamedTuple

from engine.errors import refuse
from engine.limits import (
    MAX_EXPRESSION_BYTES,
    MAX_PLACEHOLDER_BYTES,
    MAX_PLACEHOLDERS_BYTES,
    measure_item,
    normalize_number,
    normalize_value,
    reserved_words,
)

type Attribute = Mapping[str, Any]
type Item = Mapping[str, Attribute]

_WORD: Final = re.compile(r"\s*(<>|<=|>=|[=<>(),]|[#:]?[A-Za-z_][A-Za-z0-9_]*|[#:][A-Za-z0-9_]+)")
_KEYWORDS: Final = frozenset({"AND", "OR", "NOT", "BETWEEN", "SET", "REMOVE", "ADD", "DELETE"})
_ARITHMETIC: Final = Context(prec=300)
"""Exact, whatever the exponents; a result of more than 38 digits is then refused."""
_COMPARATORS: Final = frozenset({"=", "<>", "<", "<=", ">", ">="})
_TESTS: Final = frozenset({"attribute_exists", "attribute_not_exists", "begins_with", "contains"})
_NOT_OF_KEYS: Final = frozenset({"OR", "NOT", "<>", "size"} | _TESTS - {"begins_with"})


class Scope(NamedTuple):
    """An item, and what the placeholders of an expression stand for."""

    item: Item
    names: Mapping[str, str]
    values: Mapping[str, Attribute]


type Test = Callable[[Scope], bool]
type Operand = Callable[[Scope], Attribute | None]


class Change(NamedTuple):
    """One action of an update: the clause, the attribute's name or placeholder, and its operand; REMOVE has none."""

    clause: str
    name: str
    operand: Operand | None


class Comparison(NamedTuple):
    """One comparison of an attribute; its operands are placeholders of values."""

    operator: str
    name: str
    operands: tuple[str, ...]


@dataclass
class Parsed:
    """An expression, and the placeholders that it uses."""

    used: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    words: list[str] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    test: Test = lambda _: True
    changes: list[Change] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


class ExpressionError(Exception):
    """DynamoDB would not accept the expression."""


def check_length(text: str) -> None:
    """Check that an expression is neither empty nor longer than DynamoDB accepts. Raises ExpressionError."""
    if not text.strip():
        raise ExpressionError("The expression can not be empty;")
    if len(text.encode()) > MAX_EXPRESSION_BYTES:
        raise ExpressionError("Expression size has exceeded the maximum allowed size;")


class Expressions:
    """The expressions of one request, which share their placeholders.

    Args:
        operation: Of the request, as AWS names it.
        names: Its `ExpressionAttributeNames`.
        values: Its `ExpressionAttributeValues`.
    """

    def __init__(self, operation: str, names: Mapping[str, str] | None, values: Mapping[str, Attribute] | None) -> None:
        for kind, given in (("Names", names), ("Values", values)):
            if given is not None and not given:
                raise refuse(operation, f"ExpressionAttribute{kind} must not be empty")
        self.operation = operation
        self.names = names or {}
        self.values = {name: normalize_value(operation, name, value) for name, value in (values or {}).items()}
        self._check_sizes()
        self._used: set[str] = set()

    def condition(self, text: str | None) -> Callable[[Item], bool]:
        """Return a function that tells whether a condition holds for an item; without a text it always does."""
        if text is None:
            return lambda _: True
        test = self._parse(text, _parse_condition).test
        return lambda item: test(Scope(item, self.names, self.values))

    def changes(self, text: str) -> Callable[[Item], dict[str, Attribute]]:
        """Return a function that returns an item as it is after an update."""
        changes = self._parse(text, _parse_update).changes
        written = [self.names.get(change.name, change.name) for change in changes]
        if len(set(written)) < len(written):
            raise refuse(self.operation, "Invalid UpdateExpression: Two document paths overlap with each other;")
        return lambda item: self._change(item, changes)

    def projection(self, text: str | None) -> Callable[[Item], dict[str, Attribute]]:
        """Return a function that returns the attributes of an item that are asked for; without a text all of them."""
        if text is None:
            return dict
        paths = [self.names.get(path, path) for path in self._parse(text, _parse_projection).paths]
        return lambda item: {path: item[path] for path in paths if path in item}

    def _check_sizes(self) -> None:
        """Check the lengths of placeholders, and of what they stand for."""
        if any(len(name) > MAX_PLACEHOLDER_BYTES for name in (*self.names, *self.values)):
            raise refuse(self.operation, f"An expression attribute name or value exceeds {MAX_PLACEHOLDER_BYTES} bytes")
        total = sum(len(name) + len(attribute.encode()) for name, attribute in self.names.items())
        total += measure_item(self.values)
        if total > MAX_PLACEHOLDERS_BYTES:
            raise refuse(self.operation, f"Expression attribute names and values exceed {MAX_PLACEHOLDERS_BYTES} bytes")

    def named(self, text: str) -> set[str]:
        """Return the attributes that a condition names."""
        parsed = self._parse(text, _parse_condition)
        return {self.names.get(name, name) for name in parsed.named}

    def count_tests(self, text: str) -> int:
        """Return how many comparisons a condition joins by AND; 0 if it has anything else."""
        parsed = self._parse(text, _parse_condition)
        return 0 if _NOT_OF_KEYS & set(parsed.words) else len(parsed.comparisons)

    def compared(self, text: str, name: str) -> list[tuple[str, tuple[str, ...]]]:
        """Return the operators, and the texts, with which a condition compares an attribute."""
        return [
            (operator, tuple(self.values[operand]["S"] for operand in operands if operand in self.values))
            for operator, placeholder, operands in self._parse(text, _parse_condition).comparisons
            if self.names.get(placeholder, placeholder) == name
        ]

    def written_names(self, text: str) -> set[str]:
        """Return the attributes that an update writes."""
        return {self.names.get(change.name, change.name) for change in self._parse(text, _parse_update).changes}

    def finish(self) -> None:
        """Refuse placeholders that no expression uses."""
        for kind, given in (("Names", self.names), ("Values", self.values)):
            if unused := sorted(set(given) - self._used):
                text = f"Value provided in ExpressionAttribute{kind} unused in expressions: keys: {{{unused[0]}}}"
                raise refuse(self.operation, text)

    def _parse(self, text: str, parse: Callable[[str], Parsed]) -> Parsed:
        try:
            check_length(text)
            parsed = parse(text)
        except ExpressionError as error:
            raise refuse(self.operation, f"Invalid expression: {error} in {text[:200]!r}") from None
        for used in parsed.used:
            if used[0] in "#:" and used not in self.names and used not in self.values:
                kind = "name" if used[0] == "#" else "value"
                raise refuse(
                    self.operation,
                    f"Invalid expression: An expression attribute {kind} used in the document path is not defined; "
                    f"attribute {kind}: {used}",
                )
        self._used |= parsed.used
        return parsed

    def _change(self, item: Item, changes: Iterable[Change]) -> dict[str, Attribute]:
        after, scope = dict(item), Scope(item, self.names, self.values)
        for clause, placeholder, operand in changes:
            name = self.names.get(placeholder, placeholder)
            if operand is None:
                after.pop(name, None)
                continue
            value = operand(scope)
            if value is None:
                text = "The provided expression refers to an attribute that does not exist in the item"
                raise refuse(self.operation, text)
            if clause == "SET":
                after[name] = value
            else:
                self._merge(after, clause, name, value)
        return after

    def _merge(self, after: dict[str, Attribute], clause: str, name: str, value: Attribute) -> None:
        """ADD to a number or a set, or DELETE from a set."""
        before = after.get(name, {kind: "0" if kind == "N" else [] for kind in value})
        ((kind, content),) = value.items()
        if before.keys() != value.keys() or (kind, clause) not in {("N", "ADD"), ("SS", "ADD"), ("SS", "DELETE")}:
            raise refuse(self.operation, "An operand in the update expression has an incorrect data type")
        if kind == "N":
            after[name] = _add(self.operation, before["N"], content)
            return
        members = set(before["SS"]) | set(content) if clause == "ADD" else set(before["SS"]) - set(content)
        if members:
            after[name] = {"SS": sorted(members)}
        else:
            after.pop(name, None)


class _Parser:
    def __init__(self, text: str) -> None:
        self.parsed = Parsed()
        self.words: list[str] = []
        at = 0
        stripped = text.rstrip()
        while at < len(stripped):
            match = _WORD.match(stripped, at)
            if match is None:
                raise ExpressionError(f"Syntax error; token: {stripped[at:].split()[0][:20]!r}")
            self.words.append(match[1])
            at = match.end()
        self.parsed.words = self.words
        self.at = 0

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self, expected: str | None = None) -> str:
        word = self.peek()
        if not word or (expected is not None and word != expected):
            raise ExpressionError(f"Syntax error; token: {word or '<EOF>'!r}")
        self.at += 1
        return word

    def end(self) -> None:
        if self.peek():
            raise ExpressionError(f"Syntax error; token: {self.peek()!r}")

    def path(self) -> str:
        """Read an attribute's name or placeholder."""
        word = self.take()
        if word[0] == "#":
            self.parsed.used.add(word)
        elif not (word[0].isalpha() or word[0] == "_") or word in _KEYWORDS:
            raise ExpressionError(f"Syntax error; token: {word!r}")
        elif word.upper() in reserved_words():
            raise ExpressionError(f"Attribute name is a reserved keyword; reserved keyword: {word}")
        self.parsed.named.add(word)
        return word

    def operand(self) -> Operand:
        word = self.peek()
        if word == "size":
            self.take()
            self.take("(")
            inner = self.operand()
            self.take(")")
            return lambda scope: _size_of(inner(scope))
        if word.startswith(":"):
            self.parsed.used.add(self.take())
            return lambda scope: scope.values[word]
        path = self.path()
        return lambda scope: scope.item.get(scope.names.get(path, path))

    def disjunction(self) -> Test:
        tests = [self.conjunction()]
        while self.peek() == "OR":
            self.take()
            tests.append(self.conjunction())
        return tests[0] if len(tests) == 1 else lambda scope: any(test(scope) for test in tests)

    def conjunction(self) -> Test:
        tests = [self.term()]
        while self.peek() == "AND":
            self.take()
            tests.append(self.term())
        return tests[0] if len(tests) == 1 else lambda scope: all(test(scope) for test in tests)

    def term(self) -> Test:
        word = self.peek()
        if word == "NOT":
            self.take()
            negated = self.term()
            return lambda scope: not negated(scope)
        if word == "(":
            self.take()
            inner = self.disjunction()
            self.take(")")
            return inner
        if word in _TESTS:
            return self.function(self.take())
        return self.comparison()

    def function(self, name: str) -> Test:
        if name in {"attribute_exists", "attribute_not_exists"}:
            self.take("(")
            path = self.path()
            self.take(")")
            expected = name == "attribute_exists"
            return lambda scope: (scope.names.get(path, path) in scope.item) is expected
        if name == "begins_with":
            self.parsed.comparisons.append(Comparison(name, *_second_and_fourth(self.words[self.at :])))
        self.take("(")
        left = self.operand()
        self.take(",")
        right = self.operand()
        self.take(")")
        apply = _begins_with if name == "begins_with" else _contains
        return lambda scope: apply(left(scope), right(scope))

    def comparison(self) -> Test:
        name, left, operator, operand = self.peek(), self.operand(), self.take(), self.peek()
        if operator == "BETWEEN":
            low = self.operand()
            self.take("AND")
            self.parsed.comparisons.append(Comparison(operator, name, (operand, self.peek())))
            high = self.operand()
            return lambda scope: _compare(">=", left(scope), low(scope)) and _compare("<=", left(scope), high(scope))
        if operator not in _COMPARATORS:
            raise ExpressionError(f"Syntax error; token: {operator!r}")
        self.parsed.comparisons.append(Comparison(operator, name, (operand,)))
        right = self.operand()
        return lambda scope: _compare(operator, left(scope), right(scope))

    def update(self) -> None:
        clauses: set[str] = set()
        while self.peek():
            clause = self.take()
            if clause not in {"SET", "REMOVE", "ADD", "DELETE"} or clause in clauses:
                raise ExpressionError(f"Syntax error; token: {clause!r}")
            clauses.add(clause)
            self.action(clause)
            while self.peek() == ",":
                self.take()
                self.action(clause)

    def action(self, clause: str) -> None:
        path = self.path()
        operand: Operand | None = None
        if clause == "SET":
            self.take("=")
            operand = self.operand()
        elif clause in {"ADD", "DELETE"}:
            if not self.peek().startswith(":"):
                raise ExpressionError(f"Syntax error; token: {self.peek()!r}")
            operand = self.operand()
        self.parsed.changes.append(Change(clause, path, operand))


def _second_and_fourth(words: list[str]) -> tuple[str, tuple[str, ...]]:
    """Return the name and the operand of `(name, operand)`."""
    match words:
        case ["(", name, ",", operand, *_]:
            return name, (operand,)
    return "", ()


@lru_cache(maxsize=512)
def _parse_condition(text: str) -> Parsed:
    parser = _Parser(text)
    parser.parsed.test = parser.disjunction()
    parser.end()
    return parser.parsed


@lru_cache(maxsize=512)
def _parse_update(text: str) -> Parsed:
    parser = _Parser(text)
    parser.update()
    return parser.parsed


@lru_cache(maxsize=128)
def _parse_projection(text: str) -> Parsed:
    parser = _Parser(text)
    parser.parsed.paths.append(parser.path())
    while parser.peek() == ",":
        parser.take()
        parser.parsed.paths.append(parser.path())
    parser.end()
    return parser.parsed


def order_of(value: Attribute) -> Any:
    """Return what a value is compared by with others of its kind."""
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    return frozenset(content) if kind == "SS" else content.encode() if kind == "S" else content


_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def _compare(operator: str, left: Attribute | None, right: Attribute | None) -> bool:
    # An attribute that is missing, or of another kind, is only ever unequal.
    if left is None or right is None or left.keys() != right.keys():
        return operator == "<>"
    a, b = order_of(left), order_of(right)
    if operator in _ORDERS:
        return left.keys() <= {"S", "N"} and _ORDERS[operator](a, b)
    return bool((a == b) is (operator == "="))


def _begins_with(value: Attribute | None, prefix: Attribute | None) -> bool:
    return value is not None and prefix is not None and "S" in value and value["S"].startswith(prefix["S"])


def _contains(value: Attribute | None, part: Attribute | None) -> bool:
    if value is None or part is None or "S" not in part:
        return False
    return part["S"] in value.get("SS", value.get("S", ()))


def _size_of(value: Attribute | None) -> Attribute | None:
    if value is None or not value.keys() <= {"S", "SS"}:
        return None
    ((kind, content),) = value.items()
    return {"N": str(len(content.encode() if kind == "S" else content))}


def _add(operation: str, left: str, right: str) -> Attribute:
    return {"N": normalize_number(operation, str(_ARITHMETIC.add(Decimal(left), Decimal(right))))}
