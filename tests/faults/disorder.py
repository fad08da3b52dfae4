"""A scheduler that delivers late, twice, out of order and in pieces, as its seed has it."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from local.event_sources import QueuePoller
from tests.faults.steps import Step
from tests.faults.world import World

MAX_PAUSE_SECONDS = 900
"""Half a day holds the whole of a story, so that quotas are those of one day."""


@dataclass
class Disorder:
    """Lets things happen in the wrong order.

    Args:
        world: Where.
        chance: Seeded.
        done: What was done, for whoever looks for the cause of a failure.
    """

    world: World
    chance: random.Random
    done: list[str] = field(default_factory=list)
    _seen: list[tuple[str, Any]] = field(default_factory=list)

    def tell(self, steps: Sequence[Step], *, moves: int) -> None:
        """Let a story happen, some moves of disorder after each step, then let all be quiet."""
        for step in steps:
            step.act(self.world)
            self.done.append(type(step).__name__)
            self.world.clock.advance(seconds=1)
            for _ in range(self.chance.randint(0, moves)):
                move = self.chance.choice(self.moves)
                self.done.append(move.__name__)
                move()
        self.world.settle()

    @property
    def moves(self) -> list[Callable[[], None]]:
        """What may be done between two steps."""
        moves = [
            self.deliver_shuffled,
            self.deliver_and_forget,
            self.deliver_old,
            self.bury_old,
            self.split_stream,
            self.replay_stream,
            self.pause,
            self.world.call_schedules,
        ]
        return [*moves, self.lose_notice] if "SweepFunction" in self.world.handlers else moves

    def deliver_shuffled(self) -> None:
        """Deliver what a queue holds, in another order, and each message by itself."""
        poller = self._choose_queue()
        messages = poller.receive(size=10)
        self.chance.shuffle(messages)
        for message in messages:
            self._seen.append((poller.queue, message))
            poller.handle([message])

    def deliver_and_forget(self) -> None:
        """Deliver messages that are not deleted afterwards: they come again."""
        poller = self._choose_queue()
        for message in poller.receive(size=1):
            self._seen.append((poller.queue, message))
            poller.function.invoke(poller.make_event([message]))

    def deliver_old(self) -> None:
        """Deliver a message that was handled long ago."""
        if self._seen:
            queue, message = self.chance.choice(self._seen)
            poller = self.world.queues[queue]
            poller.function.invoke(poller.make_event([message]))

    def bury_old(self) -> None:
        """Take a notice that was handled long ago for a dead letter."""
        recorded = {one["submission"]["S"] for one in self.world.items("SubmissionsTable") if "submission" in one}
        old = [one for queue, one in self._seen if queue == "EvaluateQueue" and _names(one, recorded)]
        if old:
            event = self.world.queues["EvaluateQueue"].make_event([self.chance.choice(old)])
            self.world.invoke("DeadLetterFunction", event)

    def split_stream(self) -> None:
        """Deliver a small batch of the stream to one of its readers."""
        self.world.deliver_records(self.chance.choice(list(self.world.readers)), size=self.chance.randint(1, 3))

    def replay_stream(self) -> None:
        """Deliver records of the stream again that a reader is done with, and all that follow."""
        reader = self.chance.choice(list(self.world.readers))
        position = self.world.positions.get(reader, 0)
        self.world.positions[reader] = max(0, position - self.chance.randint(1, 4))

    def pause(self) -> None:
        """Let some time pass: what was received and not deleted comes again."""
        self.world.clock.advance(seconds=self.chance.randint(1, MAX_PAUSE_SECONDS))

    def lose_notice(self) -> None:
        """Lose the notice of a result."""
        poller = self.world.queues["EvaluateQueue"]
        for message in poller.receive(size=1):
            self.world.cloud.sqs.delete_message(QueueUrl=poller.url, ReceiptHandle=message["ReceiptHandle"])

    def _choose_queue(self) -> QueuePoller:
        return self.chance.choice(list(self.world.queues.values()))


def _names(message: Any, submissions: set[str]) -> bool:
    return any(one in message["Body"] for one in submissions)
