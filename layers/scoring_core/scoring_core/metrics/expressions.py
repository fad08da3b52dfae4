"""Expressions of computed headers: numbers, other headers and a few functions, parsed once, evaluated without `eval`.

A bare name is a function where "(" follows, and a header everywhere else, so a header may be called `max`; in quotes
it is always a header. The grammar is in `expression_parser`.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from scoring_core.metrics.expression_parser import Call, Constant, Instruction, MetricName, parse_program, suggest
from scoring_core.metrics.expression_tokens import ExpressionError

MAX_LENGTH = 500

__all__ = ["MAX_LENGTH", "Expression", "ExpressionError", "order", "parse"]


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
        """The headers that it reads."""
        return frozenset(step.name for step in self.program if isinstance(step, MetricName))

    def evaluate(self, scores: Mapping[str, float]) -> float | None:
        """Compute the value.

        Args:
            scores: Header name → number; may hold more than is read.

        Returns:
            A finite double, never -0.0. None where a header that is read is absent or not finite, where something is
            divided by 0, where a logarithm is taken of what is not positive, or where any step overflows.

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
    """Parse an expression.

    Args:
        text: At most 500 characters, brackets nested at most 32 deep. `log` is natural; `min`, `max` and `mean` take
            any number of values but none; `round(x)` and `round(x, digits)` round as Python does (on the binary value,
            a half to the even neighbour), digits being a whole number from -15 to 15 written out.

    Raises:
        ExpressionError: With the column where it went wrong.

    >>> parse("(1 + 'Hit Rate') * 2").evaluate({"Hit Rate": 0.5})
    3.0
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"expected at most {MAX_LENGTH} characters, found {len(text)}")
    return Expression(text, parse_program(text))


def order(expressions: Mapping[str, Expression], plain: Collection[str]) -> tuple[str, ...]:
    """Tell in which order computed headers are evaluated, each after those that it reads.

    Args:
        expressions: Computed header → its expression.
        plain: The headers that are not computed.

    Returns:
        Every computed header once; the same order for the same input.

    Raises:
        ExpressionError: A header reads a name that is no header, or reads itself, directly or through others.

    >>> order({"c": parse("b + a"), "b": parse("2 * a")}, ["a"])
    ('b', 'c')
    """
    known = {*expressions, *plain}
    for header, expression in expressions.items():
        for name in sorted(expression.names - known):
            raise ExpressionError(f"header {header!r} reads {name!r}, which is no header{suggest(name, known)}")
    sorter = TopologicalSorter[str]()
    for header, expression in expressions.items():
        sorter.add(header, *sorted(expression.names & expressions.keys()))
    try:
        return tuple(sorter.static_order())
    except CycleError as error:
        circle = " reads ".join(repr(name) for name in reversed(error.args[1]))
        raise ExpressionError(f"computed headers go round in a circle: {circle}") from error
