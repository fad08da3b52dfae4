"""Names of the columns that rows of a board with parts have beside its metrics. Imports nothing."""

from collections.abc import Mapping

MARK = "#"
"""Starts the names of these columns; no metric that is published may start so."""
DONE = f"{MARK}done"
"""How many parts a row has done."""


def name_column(part: str, metric: str) -> str:
    """Return the name of the column of a part and a metric; no part has a slash.

    >>> name_column("level-1", "Time")
    '#level-1/Time'
    """
    return f"{MARK}{part}/{metric}"


def read_done(scores: Mapping[str, int | float]) -> int | None:
    """Return how many parts are done; None if the row does not say it."""
    done = scores.get(DONE)
    return None if done is None else int(done)
