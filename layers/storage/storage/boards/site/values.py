"""Numbers in served pages, as the app writes them. Pure."""

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
