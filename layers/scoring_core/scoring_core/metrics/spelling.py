"""How values of metrics are written for people: one rule for pages, badges, pictures, feeds, mails and commands.

`sdk/numbers.js` writes the same in browsers; `tests/golden/spellings.json` has what both must write.
"""

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

TIME: Final = "h:mm:ss"
"""The unit of seconds that are shown as hours, minutes and seconds."""
MISSING: Final = "–"
_MAX_DECIMALS: Final = 4
_HUGE: Final = 2**53
_EXACT: Final = Context(prec=64, rounding=ROUND_HALF_UP)
_SHORT: Final = Context(prec=3, rounding=ROUND_HALF_UP)
_EXPONENT: Final = re.compile(r"e([+-])0")
_TIME: Final = re.compile(r"(?:([0-9]{1,6}):(?=[0-5][0-9]:))?([0-9]{1,6}):([0-5][0-9](?:\.[0-9]{1,12})?)")


def show_number(value: float | None, decimals: int | None = None, unit: str | None = None) -> str:
    """Return a value without its unit; a dash if it is missing.

    Args:
        value: A number; one beyond ±2^53 has three digits and an exponent.
        decimals: How many are shown; None: up to four, and tiny values have an exponent.
        unit: `h:mm:ss` for seconds that are shown as a time.

    >>> show_number(1234567.8, 2), show_number(2.5, 0), show_number(-0.001, 2), show_number(3725.25, 2, TIME)
    ('1,234,567.80', '3', '0.00', '1:02:05.25')
    """
    if value is None:
        return MISSING
    rounded = _round(value, decimals)
    if _is_short(value, decimals):
        text = f"{rounded.copy_abs():.2e}"
    elif rounded.is_infinite():
        text = "∞"
    else:
        whole, _, fraction = f"{rounded.copy_abs():f}".partition(".")
        fraction = fraction if decimals is not None else fraction.rstrip("0")
        text = _write_time(int(whole)) if unit == TIME else f"{int(whole):,}"
        text = f"{text}.{fraction}" if fraction else text
    return f"−{text}" if rounded < 0 else text


def show_with_unit(value: float | None, decimals: int | None = None, unit: str | None = None) -> str:
    """Return a value with its unit."""
    text = show_number(value, decimals, unit)
    return text if value is None or not unit or unit == TIME else f"{text}\u202f{unit}"


def show_digits(value: float | None, decimals: int | None = None) -> str | None:
    """Return all digits of a value that `show_number` rounds, else None.

    >>> show_digits(2.5, 0), show_digits(2.5, 1), show_digits(1e-7, 2)
    ('2.5', None, '1e-7')
    """
    if value is None or float(_round(value, decimals)) == value:
        return None
    is_plain = 1e-6 <= abs(value) < 1e21  # noqa: PLR2004  # as JavaScript writes numbers
    return f"{_read(value):f}".removesuffix(".0") if is_plain else _EXPONENT.sub(r"e\1", repr(value))


def read_time(text: str) -> float | None:
    """Return the seconds of a time; None if a text is none.

    It is `m:ss` or `h:mm:ss`, with or without a fraction.

    >>> read_time("1:23.450"), read_time("1:02:05.25"), read_time("1:2:5")
    (83.45, 3725.25, None)
    """
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    hours, minutes, seconds = match.groups()
    return float(3600 * int(hours or 0) + 60 * int(minutes) + Decimal(seconds))


def _is_short(value: float, decimals: int | None) -> bool:
    """Return whether a value has three digits and an exponent."""
    is_tiny = decimals is None and 0 < abs(value) < 10**-_MAX_DECIMALS / 2
    return is_tiny or (abs(value) > _HUGE and not math.isinf(value))


def _round(value: float, decimals: int | None) -> Decimal:
    if _is_short(value, decimals):
        return _SHORT.create_decimal(value)
    number = _read(value)
    least = Decimal(1).scaleb(-(_MAX_DECIMALS if decimals is None else decimals))
    return number if number.is_infinite() else number.quantize(least, context=_EXACT)


def _read(value: float) -> Decimal:
    # Of the digits that name a double, not of those that it has: 1.005 is shown as 1.01, as browsers do.
    return Decimal(repr(value))


def _write_time(seconds: int) -> str:
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"
