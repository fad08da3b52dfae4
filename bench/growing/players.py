"""What publishing costs, as the board grows: a change of one row or of a hundred, steady and amortised."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from growing.crowds import Crowd, ShownRow
from growing.shown import list_expected_rows, list_shown_rows, publish, read_directory

MAX_ROUNDS = 30_000


class Growth(NamedTuple):
    """What a change costs on a board of `n` players: milliseconds of the processor, and writes to S3."""

    n: int
    ms_a_change: float
    puts_a_change: float


class Measured(NamedTuple):
    """A change alone and one of a hundred."""

    alone: Growth
    in_hundred: Growth
    build_seconds: float


def measure_boards(sizes: Sequence[int], *, changes: int) -> Iterator[Measured]:
    """Measure boards of so many players.

    Args:
        sizes: Players.
        changes: How many are measured at least; more until every change has been worked into the pages.
    """
    for size in sizes:
        crowd = Crowd(size)
        seconds, _ = _spend(crowd, partial(publish, crowd, None))
        alone = _measure(crowd, 1, changes)
        in_hundred = _measure(crowd, min(100, size), 10 * changes)
        check_rows(list_shown_rows(crowd), list_expected_rows(crowd))
        yield Measured(alone, in_hundred, seconds)


def check_rows(shown: Iterable[ShownRow], expected: Iterable[ShownRow]) -> None:
    """Check that a board shows these rows, in this order."""
    for row, other in zip_longest(shown, expected):
        assert row == other, (row, other)


def _measure(crowd: Crowd, width: int, changes: int) -> Growth:
    """Publish `width` changes at a time: as many as asked for, and on until a directory has just been written.

    So what is saved by letting changes wait is paid for in what is measured.
    """
    seconds, puts, made = 0.0, 0, 0
    for _ in range(MAX_ROUNDS):
        players = crowd.change(crowd.chance.sample(range(crowd.size), width))
        directory = read_directory(crowd)
        spent, written = _spend(crowd, partial(publish, crowd, players))
        seconds, puts, made = seconds + spent, puts + written, made + width
        if made >= changes and (directory is None or read_directory(crowd) != directory):
            return Growth(crowd.size, 1000 * seconds / made, puts / made)
    raise AssertionError(f"{MAX_ROUNDS} publishings worked nothing into the pages of {crowd.size} players")


def _spend(crowd: Crowd, act: Callable[[], object]) -> tuple[float, int]:
    """Return the processor seconds of all threads, and the writes to S3."""
    puts, started = crowd.s3.calls["PutObject"], time.process_time()
    act()
    return time.process_time() - started, crowd.s3.calls["PutObject"] - puts
