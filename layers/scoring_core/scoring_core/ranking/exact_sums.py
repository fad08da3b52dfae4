"""Sums that are never rounded on their way, so that order does not matter and a value can be taken away again."""

import sys
from fractions import Fraction
from typing import NamedTuple, Self


class ExactSum(NamedTuple):
    """The exact sum of some numbers: `mantissa` · 2^`power`, and how many they were.

    Equal collections of numbers have equal sums, whatever was added and taken away on the way: the mantissa is odd, or
    both are 0.

    Args:
        terms: How many numbers.
        floats: How many of them were floats; without any the sum is an int.
        mantissa: An odd integer, or 0.
        power: An exponent of 2.
    """

    terms: int = 0
    floats: int = 0
    mantissa: int = 0
    power: int = 0

    def add(self, number: float) -> Self:
        """Return the sum with a finite number more."""
        return self._change(number, 1)

    def take_away(self, number: float) -> Self:
        """Return the sum with a number less that was added before."""
        return self._change(number, -1)

    @property
    def is_possible(self) -> bool:
        """Return whether it may be a sum: nothing was taken away that was not added."""
        is_sum = bool(self.floats) or self.power >= 0
        return 0 <= self.floats <= self.terms and is_sum and (self.terms > 0 or self.mantissa == 0)

    def round(self, count: int = 1) -> int | float:
        """Return the sum, rounded as `math.fsum` rounds, or the mean of a count.

        What is beyond all doubles is the largest one.
        """
        try:
            if not self.floats:
                total: int | float = self.mantissa << self.power
            elif self.power >= 0:
                total = float(self.mantissa << self.power)
            else:
                total = self.mantissa / (1 << -self.power)
        except OverflowError:
            return _round_huge(Fraction(self.mantissa) * Fraction(2) ** self.power / count)
        return total / count if count > 1 else total

    def _change(self, number: float, sign: int) -> Self:
        numerator, denominator = number.as_integer_ratio()
        number_power = 1 - denominator.bit_length()  # a denominator is a power of 2
        power = min(self.power, number_power)
        total = (self.mantissa << (self.power - power)) + sign * (numerator << (number_power - power))
        zeros = (total & -total).bit_length() - 1
        return type(self)(
            self.terms + sign,
            self.floats + sign * isinstance(number, float),
            total >> zeros if total else 0,
            power + zeros if total else 0,
        )


def _round_huge(total: Fraction) -> float:
    """Return a total that no double may hold.

    What is beyond all doubles becomes the largest one, or the least: it leads a board, and is never absent.
    """
    try:
        return float(total)
    except OverflowError:
        return sys.float_info.max if total > 0 else -sys.float_info.max
