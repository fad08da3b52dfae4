"""Keeps `index.json` true when benchmarks open and close, and begins finals, between two runs of the schedule."""

import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta

from aggregate.aggregator import Aggregator

INTERVAL = timedelta(minutes=10)
"""Of the schedule: each run takes care of the moments until the next one."""
_LATE = timedelta(minutes=1)
"""EventBridge is precise to a minute. Two runs that wait for one moment write the same."""


def publish_phases(
    aggregator: Aggregator, benchmarks: Iterable[str], *, sleep: Callable[[float], None] = time.sleep
) -> Iterator[list[str]]:
    """Wait until benchmarks open, close, freeze, thaw or are final; yield them.

    The wait is charged, at most eleven minutes for a moment, and only when there is one.
    """
    clock = aggregator.renderer.clock
    until = clock() + INTERVAL + _LATE
    due: dict[datetime, list[str]] = {}
    for benchmark in benchmarks:
        published = aggregator.benchmarks.find(benchmark)
        if published is None:
            continue
        definition = published.definition
        freezes = (definition.review.starts, definition.review.ends) if definition.review else ()
        for moment in {definition.opens, definition.closes, published.final_at, *freezes}:
            if moment is not None and clock() < moment <= until:
                due.setdefault(moment, []).append(benchmark)
    for moment in sorted(due):
        while (left := (moment - clock()).total_seconds()) > 0:
            sleep(left)
        aggregator.renderer.update_index(due[moment])
        yield due[moment]
