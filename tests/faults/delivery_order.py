"""A scheduler that delivers late, twice, out of order and in pieces, by a seeded choice."""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from handlers.draining import NotDrained
from local.event_sources import QueuePoller
from tests.faults.simulation import Simulation
from tests.faults.steps import Step

MAX_PAUSE_SECONDS = 900
"""The longest pause; short enough for a scenario to end within the half day left, so that it uses one day's quotas."""


@dataclass
class DeliveryOrder:
    """Deliver in the wrong order.

    Args:
        simulation: The simulation.
        chance: The seeded random choice.
        done: The steps and deliveries so far, shown when a test fails.
    """

    simulation: Simulation
    chance: random.Random
    done: list[str] = field(default_factory=list)
    _seen: list[tuple[str, Any]] = field(default_factory=list)

    def run_steps(self, steps: Sequence[Step], *, moves: int) -> None:
        """Run a scenario with some wrong deliveries after each step, then settle."""
        for step in steps:
            step.act(self.simulation)
            self.done.append(type(step).__name__)
            self.simulation.clock.advance(seconds=1)
            for _ in range(self.chance.randint(0, moves)):
                move = self.chance.choice(self.moves)
                self.done.append(move.__name__)
                move()
        self.simulation.settle()

    @property
    def moves(self) -> list[Callable[[], None]]:
        """Return the deliveries and mishaps that may happen between two steps."""
        moves = [
            self.deliver_shuffled,
            self.deliver_and_forget,
            self.deliver_old,
            self.expire_dead_letters,
            self.split_stream,
            self.redeliver_stream,
            self.discard_records,
            self.pause,
            self.simulation.call_schedules,
        ]
        return [*moves, self.lose_notice] if "SweepFunction" in self.simulation.handlers else moves

    def deliver_shuffled(self) -> None:
        """Deliver the messages of a queue in another order, one at a time."""
        poller = self._choose_queue()
        messages = poller.receive(size=10)
        self.chance.shuffle(messages)
        for message in messages:
            self._seen.append((poller.queue, message))
            poller.handle([message])

    def deliver_and_forget(self) -> None:
        """Deliver a message without deleting it, so that it comes again."""
        poller = self._choose_queue()
        for message in poller.receive(size=1):
            self._seen.append((poller.queue, message))
            poller.function.invoke(poller.make_event([message]))

    def deliver_old(self) -> None:
        """Deliver a message again that was handled long ago."""
        if self._seen:
            queue, message = self.chance.choice(self._seen)
            poller = self.simulation.queues[queue]
            poller.function.invoke(poller.make_event([message]))

    def expire_dead_letters(self) -> None:
        """Leave a notice that was handled long ago to the schedule that empties the dead letters."""
        recorded = {
            item["submission"]["S"] for item in self.simulation.items("SubmissionsTable") if "submission" in item
        }
        old = [message for queue, message in self._seen if queue == "EvaluateQueue" and _names(message, recorded)]
        if old:
            sqs, queue = self.simulation.cloud.sqs, self.simulation.template.resources["EvaluateDeadLetterQueue"]
            url = sqs.get_queue_url(QueueName=queue.name)["QueueUrl"]
            sqs.send_message(QueueUrl=url, MessageBody=self.chance.choice(old).body)
            with suppress(NotDrained):  # what this release cannot read stays in the queue for the next run
                self.simulation.invoke("DeadLetterFunction", {"detail-type": "Scheduled Event"})

    def split_stream(self) -> None:
        """Deliver a small batch of the stream to one of its readers."""
        self.simulation.deliver_records(
            self.chance.choice(list(self.simulation.readers)), size=self.chance.randint(1, 3)
        )

    def redeliver_stream(self) -> None:
        """Move a stream reader back, so that it gets some records again."""
        reader = self.chance.choice(list(self.simulation.readers))
        position = self.simulation.positions.get(reader, 0)
        self.simulation.positions[reader] = max(0, position - self.chance.randint(1, 4))

    def discard_records(self) -> None:
        """Let Lambda discard some records of a stream reader, which a schedule redelivers."""
        reader = self.chance.choice(list(self.simulation.readers))
        self.simulation.discard_records(reader, size=self.chance.randint(1, 3))

    def pause(self) -> None:
        """Advance the clock, so that messages that were not deleted come again."""
        self.simulation.clock.advance(seconds=self.chance.randint(1, MAX_PAUSE_SECONDS))

    def lose_notice(self) -> None:
        """Lose the notice of a result."""
        poller = self.simulation.queues["EvaluateQueue"]
        for message in poller.receive(size=1):
            self.simulation.cloud.sqs.delete_message(QueueUrl=poller.url, ReceiptHandle=message.receipt_handle)

    def _choose_queue(self) -> QueuePoller:
        return self.chance.choice(list(self.simulation.queues.values()))


def _names(message: Any, submissions: set[str]) -> bool:
    return any(submission in message.body for submission in submissions)
