"""Numbers and times in served pages, as the app writes them (`frontend/src/lib/format.ts`). Pure."""

from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from storage.boards.models import Metric

MISSING: Final = "–"
_MAX_DECIMALS: Final = 4
_HUGE: Final = 1e12


def show_value(value: float | None, metric: Metric) -> str:
    """Return a value of a metric without its unit; a dash if it is missing."""
    if value is None:
        return MISSING
    least = metric.decimals or 0
    most = _MAX_DECIMALS if metric.decimals is None else metric.decimals
    is_tiny = value != 0 and abs(value) < 10**-most / 2
    if abs(value) >= _HUGE or (metric.decimals is None and is_tiny):
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{mantissa}e{int(exponent):+d}"
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-most), ROUND_HALF_UP)
    whole, point, fraction = f"{abs(rounded):,f}".partition(".")
    fraction = fraction[:least] + fraction[least:].rstrip("0")
    text = f"{whole}{point}{fraction}" if fraction else whole
    return f"−{text}" if rounded < 0 else text


def show_with_unit(value: float | None, metric: Metric) -> str:
    """Return a value with the metric's unit."""
    text = show_value(value, metric)
    return text if value is None or not metric.unit else f"{text}\u202f{metric.unit}"


def show_count(count: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun; without a plural, `s` is added.

    >>> show_count(1, "player"), show_count(3000, "player"), show_count(2, "entry", "entries")
    ('1 player', '3,000 players', '2 entries')
    """
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"


def write_time(moment: datetime) -> str:
    """Return a moment as an element `time` that shows its day (UTC)."""
    utc = moment.astimezone(UTC)
    exact = f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03}Z"
    return f'<time datetime="{exact}" title="{utc:%Y-%m-%d %H:%M} UTC">{utc.day} {utc:%b %Y}</time>'


def write_state(now: datetime, opens: datetime | None, closes: datetime | None) -> str:
    """Return whether a benchmark accepts results, and until or from when."""
    if opens is not None and now < opens:
        return f'<span class="pill">Opens {_show_moment(opens)}</span>'
    if closes is not None and now >= closes:
        return f'<span class="pill">Final · closed {_show_moment(closes)}</span>'
    until = "" if closes is None else f" until {_show_moment(closes)}"
    return f'<span class="pill good">Open{until}</span>'


def _show_moment(moment: datetime) -> str:
    utc = moment.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y, %H:%M:%S} UTC"
