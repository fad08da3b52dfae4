"""Keeps `index.json` true when benchmarks open and close, and begins finals, between two runs of the schedule."""

import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from aggregate.aggregator import Aggregator
from storage.gateway.errors import NotFound

INTERVAL = timedelta(minutes=10)
"""Of the schedule: each run takes care of the moments until the next one."""
_LATE = timedelta(minutes=1)
"""EventBridge is precise to a minute. Two runs that wait for one moment write the same."""


def publish_phases(
    aggregator: Aggregator,
    benchmarks: Iterable[str],
    reveal: Callable[[str], object],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Wait until benchmarks open or close, to update their entries, and for finals.

    The wait is charged, at most eleven minutes for a moment, and only when there is one.
    """
    clock = aggregator.renderer.clock
    until = clock() + INTERVAL + _LATE
    due: dict[datetime, list[str]] = {}
    finals: dict[datetime, list[str]] = {}
    for benchmark in benchmarks:
        try:
            published = aggregator.benchmarks.current(benchmark)
        except NotFound:
            continue
        definition = published.definition
        final = definition.final.at if definition.final else None
        for moment, noted in ((definition.opens, due), (definition.closes, due), (final, finals)):
            if moment is not None and clock() < moment <= until:
                noted.setdefault(moment, []).append(benchmark)
    for moment in sorted(due.keys() | finals.keys()):
        while (left := (moment - clock()).total_seconds()) > 0:
            sleep(left)
        if moment in due:
            aggregator.renderer.update_index(due[moment])
        for benchmark in finals.get(moment, ()):
            reveal(benchmark)
