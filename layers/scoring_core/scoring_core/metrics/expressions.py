"""Expressions of computed metrics, parsed once and evaluated without `eval`; `expression_parser` has the grammar."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from scoring_core.metrics.expression_parser import (
    Call,
    Constant,
    ExpressionError,
    Instruction,
    Jump,
    MetricName,
    parse_condition_program,
    parse_program,
    suggest,
)

MAX_LENGTH = 500


class NumberTooLarge(ValueError):
    """A step of an expression is beyond all doubles."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression.

    Args:
        text: As it was written.
        program: Postfix: operands push, calls replace their operands by their value.
    """

    text: str
    program: tuple[Instruction, ...] = field(repr=False)

    @property
    def names(self) -> frozenset[str]:
        """The metrics that it reads."""
        return frozenset(step.name for step in self.program if isinstance(step, MetricName))

    def evaluate(self, scores: Mapping[str, float]) -> float | None:
        """Compute the value from these scores, metric → number.

        Returns:
            A finite double, never -0.0. None if a metric that it reads is absent or not finite, at a division by 0 or
            a logarithm of a number that is not positive, or if any step overflows.

        >>> parse("mean(stop, 'First Response Delay')").evaluate({"stop": 1, "First Response Delay": 2.5})
        1.75
        """
        try:
            return self.compute(scores)
        except ValueError:
            return None

    def compute(self, scores: Mapping[str, float]) -> float:
        """Compute the value from these scores, metric → number.

        Returns:
            A finite double, never -0.0; of a condition 1.0 if it holds and 0.0 if not.

        Raises:
            ValueError: There is no value, as for `evaluate`; the message says why. NumberTooLarge: a step overflows.
        """
        try:
            return _run(self.program, scores) + 0.0  # -0.0 + 0.0 is 0.0
        except KeyError as error:
            raise ValueError(f"{error} has no value") from None
        except ZeroDivisionError:
            raise ValueError("division by 0") from None
        except ArithmeticError:
            raise NumberTooLarge("a number is too large") from None


def _run(program: Sequence[Instruction], scores: Mapping[str, float]) -> float:
    stack: list[float] = []
    at = 0
    while at < len(program):
        step = program[at]
        at += 1
        match step:
            case Constant(value):
                pass
            case MetricName(name):
                value = float(scores[name])
            case Call(apply, arity):
                value = float(apply(*stack[-arity:]))
                del stack[-arity:]
            case Jump(if_true, target):
                value = stack.pop()
                if bool(value) is not if_true:
                    continue
                at = target
        if not math.isfinite(value):
            raise OverflowError
        stack.append(value)
    return stack[0]


def parse(text: str) -> Expression:
    """Parse an expression. Raises ExpressionError with the column of the fault.

    Args:
        text: At most 500 characters, brackets nested at most 32 deep. `log` is natural; `min`, `max` and `mean` take
            one or more values; `round(x)` and `round(x, digits)` round as Python does (the binary value, a half to
            the even neighbour), with digits a literal whole number from -15 to 15.

    >>> parse("(1 + 'Hit Rate') * 2").evaluate({"Hit Rate": 0.5})
    3.0
    """
    return _parse(text, parse_program)


def parse_condition(text: str) -> Expression:
    """Parse a condition. Raises ExpressionError with the column of the fault.

    Args:
        text: As for `parse`: comparisons of sums, joined by `and`, `or` and `not`. What comes after `and` is not
            computed if what is before it does not hold, nor what comes after `or` if it does.

    >>> parse_condition("time >= 3 and (coins == 0 or time / coins < 2)").compute({"time": 3, "coins": 0})
    1.0
    """
    return _parse(text, parse_condition_program)


def _parse(text: str, parse_text: Callable[[str], tuple[Instruction, ...]]) -> Expression:
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"expected at most {MAX_LENGTH} characters, found {len(text)}")
    return Expression(text, parse_text(text))


def order(expressions: Mapping[str, Expression], plain: Collection[str]) -> tuple[str, ...]:
    """Return the computed metrics so that each comes after those that it reads.

    Args:
        expressions: Computed metric → its expression.
        plain: The metrics that are not computed.

    Raises:
        ExpressionError: A metric reads an unknown name, or reads itself, directly or through others.

    >>> order({"c": parse("b + a"), "b": parse("2 * a")}, ["a"])
    ('b', 'c')
    """
    names = {*expressions, *plain}
    for metric, expression in expressions.items():
        for name in sorted(expression.names - names):
            raise ExpressionError(f"metric {metric!r} reads {name!r}, which is no metric{suggest(name, names)}")
    sorter = TopologicalSorter[str]()
    for metric, expression in expressions.items():
        sorter.add(metric, *sorted(expression.names & expressions.keys()))
    try:
        return tuple(sorter.static_order())
    except CycleError as error:
        circle = " reads ".join(repr(name) for name in reversed(error.args[1]))
        raise ExpressionError(f"computed metrics form a circle: {circle}") from error
