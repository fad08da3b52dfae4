"""Numbers and times in served pages, as the app writes them. Pure."""

from datetime import UTC, datetime

from scoring_core.metrics import spelling
from storage.boards.models import Metric


def show_value(value: float | None, metric: Metric) -> str:
    """Return a value of a metric without its unit; a dash if it is missing."""
    return spelling.show_number(value, metric.decimals, metric.unit)


def show_with_unit(value: float | None, metric: Metric) -> str:
    """Return a value with the metric's unit."""
    return spelling.show_with_unit(value, metric.decimals, metric.unit)


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
