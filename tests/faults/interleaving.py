"""Processes that share a table in memory and stop at each of its calls: to wait, to fail, to die, or to go on late."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from greenlet import getcurrent, greenlet

from engine.items import Tables
from engine.store import Store
from storage.gateway.aws import READ_AT_ONCE
from storage.gateway.conditions import Item, Put, Query
from storage.gateway.errors import Busy, StoreError

TABLE = "boards"
PAGE = 3
"""Items of a query's page: others may write between two of them."""


class Fate(Enum):
    """What happens at a call."""

    DONE = auto()
    DEATH_BEFORE = auto()
    DEATH_AFTER = auto()
    THROTTLED = auto()
    REPEATED = auto()
    """The answer was lost, so botocore repeats the call."""


class Death(BaseException):
    """The process dies."""


@dataclass
class Process:
    """A process: a function that stops before each call.

    Args:
        name: Its name.
        run: The function.
    """

    name: str
    run: Callable[[], None]
    is_zombie: bool = False
    has_failed: bool = False
    asleep_until: int = 0
    _greenlet: greenlet = field(init=False)

    def __post_init__(self) -> None:
        """Run the function up to its first call."""
        self._greenlet = greenlet(self._live)
        self._greenlet.switch()

    @property
    def is_over(self) -> bool:
        """Return whether the function has ended."""
        return self._greenlet.dead

    def step(self, fate: Fate) -> None:
        """Let the next call end so, and run up to the one after it. Raises what the function raises."""
        self._greenlet.switch(fate)

    def _live(self) -> None:
        try:
            self.run()
        except (Death, Busy):
            self.has_failed = True


def run_woven[Item, Result](
    randomness: random.Random, act: Callable[[Item], Result], items: Sequence[Item]
) -> list[Result]:
    """Act on each item in a thread of the process, as `run_at_once` does; their calls come in a random order.

    A death in one of them ends all; an error leaves the others to go on.
    """
    results: dict[int, Result] = {}
    errors: dict[int, Exception] = {}

    def work(place: int) -> None:
        try:
            results[place] = act(items[place])
        except Exception as error:  # noqa: BLE001  # raised below, as by a pool of threads
            errors[place] = error

    threads = [greenlet(lambda place=place: work(place)) for place in range(len(items))]  # type: ignore[misc]
    for thread in threads:
        thread.switch()
    scheduler = getcurrent().parent
    assert scheduler is not None
    while threads := [thread for thread in threads if not thread.dead]:
        fate = scheduler.switch()
        randomness.choice(threads).switch(fate)
    if errors:
        raise errors[min(errors)]
    return [results[place] for place in range(len(items))]


def call[Result](act: Callable[[], Result]) -> Result:
    """Act when the scheduler says so, as it says."""
    scheduler = getcurrent().parent
    assert scheduler is not None
    fate: Fate = scheduler.switch()
    if fate is Fate.DEATH_BEFORE:
        raise Death
    if fate is Fate.THROTTLED:
        raise Busy("throttled")
    if fate is Fate.REPEATED:
        with suppress(StoreError):
            act()
    result = act()
    if fate is Fate.DEATH_AFTER:
        raise Death
    return result


def make_table() -> Tables:
    """Return the engine with the boards table, in memory."""
    store = Store()
    keys = [{"AttributeName": name, "KeyType": kind} for name, kind in (("board", "HASH"), ("item", "RANGE"))]
    store.define("table", TABLE, {"KeySchema": keys})
    return Tables(store)


@dataclass
class WovenTables:
    """The boards table in memory; each call is a stop.

    Args:
        randomness: Decides which keys of a batch are left unprocessed.
        table: The table.
        look: Called after each transaction.
    """

    randomness: random.Random
    table: Tables = field(default_factory=make_table)
    look: Callable[[], None] = lambda: None

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        act = getattr(self.table, operation)
        return lambda *asked: call(lambda: act(*asked))

    def get_many(self, table: str, keys: Sequence[Mapping[str, str]]) -> Iterator[Item]:
        """Read items; sometimes some of a hundred are left unprocessed, and read later."""
        left = keys
        while left:
            batch = left[:READ_AT_ONCE]
            taken = batch if self.randomness.random() < 0.9 else batch[: max(1, len(batch) // 2)]
            yield from call(lambda taken=taken: list(self.table.get_many(table, taken)))  # type: ignore[misc]
            left = left[len(taken) :]

    def transact(self, table: str, puts: Sequence[Put]) -> None:
        """Write items, each on its condition, or none."""

        def act() -> None:
            self.table.transact(table, puts)
            self.look()

        call(act)

    def query(self, table: str, query: Query) -> Iterator[Sequence[Item]]:
        """Query a partition, page by page."""
        at: tuple[str, ...] | None = ()
        while at is not None:
            page, at = call(lambda at=at: self.table.read_page(table, query._replace(length=PAGE), at))  # type: ignore[misc]
            yield page


TROUBLE = 20_000
"""Calls after which all goes well: where one in ten ends a process, a batch of fifty calls hardly ever gets through."""


@dataclass
class Schedule:
    """Runs processes in a random order, with as many faults as chance will have.

    Args:
        randomness: Seeded.
        deadly: How likely a death is at a call.
        drowsy: How likely a process sleeps for a while before its next call.
        is_haunted: Whether some are only taken for dead, and go on beside those that do their work again.
    """

    randomness: random.Random
    deadly: float
    drowsy: float
    is_haunted: bool = True
    processes: list[Process] = field(default_factory=list)
    clock: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def step(self) -> str | None:
        """Let one process make a call; return its name if it died, so that its work must be done again."""
        self.clock += 1
        awake = [process for process in self.processes if process.asleep_until <= self.clock]
        process = self.randomness.choice(awake or self.processes)
        if self.randomness.random() < self.drowsy:
            process.asleep_until = self.clock + self.randomness.randint(5, 80)
        fate, is_zombie = self._draw()
        self.counts["calls"] += 1
        was_zombie = process.is_zombie
        if is_zombie:
            process.is_zombie, fate = True, Fate.DONE
        process.step(fate)
        if process.is_over:
            self.processes.remove(process)
            self.counts["zombies dead"] += was_zombie and process.has_failed
        self.counts["zombies" if is_zombie else fate.name.lower().replace("_", " ")] += 1
        return process.name if (is_zombie or process.has_failed) and not was_zombie else None

    def _draw(self) -> tuple[Fate, bool]:
        """Return a fate, and whether the process is only taken for dead, so that it goes on beside the next one."""
        number = self.randomness.random()
        if self.clock > TROUBLE:
            return Fate.DONE, False
        if number < self.deadly:
            fates = (Fate.DEATH_BEFORE, Fate.DEATH_AFTER)
            fate = self.randomness.choice((*fates, None, None) if self.is_haunted else fates)
            return fate or Fate.DONE, fate is None
        if number < 1.5 * self.deadly:
            return self.randomness.choice((Fate.REPEATED, Fate.THROTTLED)), False
        return Fate.DONE, False
