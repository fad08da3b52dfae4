"""Processes that share a table in memory and stop at each of its calls: to wait, to fail, to die, or to go on late."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from botocore.exceptions import ClientError
from greenlet import getcurrent, greenlet

from storage.aws.errors import Busy, aws_errors
from tests.harness.memory_aws import compile_condition

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


def stop[Result](act: Callable[[], Result]) -> Result:
    """Act when the scheduler says so, as a store that is not under test."""
    with aws_errors("elsewhere"):
        return call(act)


def call[Result](act: Callable[[], Result]) -> Result:
    """Act when the scheduler says so, as it says."""
    scheduler = getcurrent().parent
    assert scheduler is not None
    fate: Fate = scheduler.switch()
    if fate is Fate.DEATH_BEFORE:
        raise Death
    if fate is Fate.THROTTLED:
        raise ClientError({"Error": {"Code": "ThrottlingException"}}, "call")
    if fate is Fate.REPEATED:
        with suppress(ClientError):
            act()
    result = act()
    if fate is Fate.DEATH_AFTER:
        raise Death
    return result


@dataclass
class MemoryDynamo:
    """DynamoDB's client, as `Table` uses it, over one table (`board`, `item`) in memory; each call is a stop.

    Args:
        randomness: Decides which keys of a batch are left unprocessed.
        look: Called after each transaction.
    """

    randomness: random.Random
    items: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    look: Callable[[], None] = lambda: None
    calls: Counter[str] = field(default_factory=Counter)

    def get_item(self, *, Key: Any, **_: Any) -> Any:  # noqa: N803  # boto3's names, here and below
        """Read an item."""
        self.calls["get_item"] += 1
        item = call(lambda: self.items.get(_key_of(Key)))
        return {} if item is None else {"Item": item}

    def batch_get_item(self, *, RequestItems: Any) -> Any:  # noqa: N803
        """Read items; sometimes some are left unprocessed."""
        self.calls["batch_get_item"] += 1
        ((table, request),) = RequestItems.items()
        keys = request["Keys"]
        taken = keys if self.randomness.random() < 0.9 else keys[: max(1, len(keys) // 2)]
        items = call(lambda: [self.items[_key_of(key)] for key in taken if _key_of(key) in self.items])
        left = {table: {"Keys": keys[len(taken) :]}} if len(taken) < len(keys) else {}
        return {"Responses": {table: items}, "UnprocessedKeys": left}

    def put_item(
        self,
        *,
        Item: Any,  # noqa: N803
        ConditionExpression: str,  # noqa: N803
        ExpressionAttributeValues: Any,  # noqa: N803
        **_: Any,
    ) -> Any:
        """Write an item on a condition."""
        self.calls["put_item"] += 1

        def act() -> None:
            before = self.items.get(_key_of(Item))
            if not compile_condition(ConditionExpression)(before or {}, ExpressionAttributeValues):
                error = {"Error": {"Code": "ConditionalCheckFailedException"}, "Item": before or {}}
                raise ClientError(error, "PutItem")  # type: ignore[arg-type]
            self.items[_key_of(Item)] = Item

        call(act)
        return {}

    def transact_write_items(self, *, TransactItems: Any) -> Any:  # noqa: N803
        """Write items, each on its condition, or none."""
        self.calls["transact_write_items"] += 1
        puts = [action["Put"] for action in TransactItems]

        def act() -> None:
            holds = [
                compile_condition(put["ConditionExpression"])(
                    self.items.get(_key_of(put["Item"]), {}), put["ExpressionAttributeValues"]
                )
                for put in puts
            ]
            if not all(holds):
                reasons = [{"Code": "None" if each else "ConditionalCheckFailed"} for each in holds]
                error = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}
                raise ClientError(error, "TransactWriteItems")  # type: ignore[arg-type]
            self.items |= {_key_of(put["Item"]): put["Item"] for put in puts}
            self.look()

        call(act)
        return {}

    def delete_item(self, *, Key: Any, ConditionExpression: str = "", **options: Any) -> Any:  # noqa: N803
        """Delete an item, maybe on a condition."""
        self.calls["delete_item"] += 1

        def act() -> None:
            before = self.items.get(_key_of(Key), {})
            values = options.get("ExpressionAttributeValues", {})
            if ConditionExpression and not compile_condition(ConditionExpression)(before, values):
                error = {"Error": {"Code": "ConditionalCheckFailedException"}}
                raise ClientError(error, "DeleteItem")  # type: ignore[arg-type]
            self.items.pop(_key_of(Key), None)

        call(act)
        return {}

    def get_paginator(self, _: str) -> "MemoryDynamo":
        """Return the paginator of queries."""
        return self

    def paginate(self, *, ExpressionAttributeValues: Any, **_: Any) -> Iterator[Any]:  # noqa: N803
        """Query a partition by the beginning of the sort key, or between two, page by page."""
        values = {name: value["S"] for name, value in ExpressionAttributeValues.items()}
        board, first = values[":key"], values[":sort"]
        until = values.get(":last", f"{first}~")
        last = ""
        while True:
            self.calls["query"] += 1
            page = call(lambda last=last: self._read_page(board, first, until, last))  # type: ignore[misc]
            yield {"Items": page}
            if len(page) < PAGE:
                return
            last = page[-1]["item"]["S"]

    def _read_page(self, board: str, first: str, until: str, last: str) -> list[Mapping[str, Any]]:
        sorts = sorted(sort for name, sort in self.items if name == board and first <= sort <= until and sort > last)
        return [self.items[board, sort] for sort in sorts[:PAGE]]


def _key_of(item: Any) -> tuple[str, str]:
    return item["board"]["S"], item["item"]["S"]


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
