"""Expressions of computed metrics, parsed once and evaluated without `eval`; `expression_parser` has the grammar."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from scoring_core.metrics.expression_parser import (
    Call,
    Constant,
    ExpressionError,
    Instruction,
    MetricName,
    parse_program,
    suggest,
)

MAX_LENGTH = 500


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
        stack: list[float] = []
        try:
            for step in self.program:
                match step:
                    case Constant(value):
                        pass
                    case MetricName(name):
                        value = float(scores[name])
                    case Call(apply, arity):
                        value = apply(*stack[-arity:])
                        del stack[-arity:]
                if not math.isfinite(value):
                    return None
                stack.append(value)
        except (KeyError, ArithmeticError, ValueError):
            return None
        return stack[0] + 0.0  # -0.0 + 0.0 is 0.0


def parse(text: str) -> Expression:
    """Parse an expression. Raises ExpressionError with the column of the fault.

    Args:
        text: At most 500 characters, brackets nested at most 32 deep. `log` is natural; `min`, `max` and `mean` take
            one or more values; `round(x)` and `round(x, digits)` round as Python does (the binary value, a half to
            the even neighbour), with digits a literal whole number from -15 to 15.

    >>> parse("(1 + 'Hit Rate') * 2").evaluate({"Hit Rate": 0.5})
    3.0
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"expected at most {MAX_LENGTH} characters, found {len(text)}")
    return Expression(text, parse_program(text))


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
