"""Both engines at once: a request goes to moto and to one of two clients of a file, and the answers are compared."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from botocore.exceptions import ClientError

from engine.cloud import make_clients
from engine.store import Store
from local.template import Template
from tests.contract.sides import EVALUATE, Clients, open_moto

NOON = 1_800_000_000.0

type Pick = Callable[[Mapping[str, Any]], Any]


@dataclass
class Pair:
    """Clients of moto, and of two users of one engine file; all have one clock.

    A receipt, a version and an address of a queue are other texts on each side: a request gives both as `Two`.
    """

    moto: Clients
    engines: tuple[Clients, Clients]
    stack: ExitStack
    now: float = NOON
    turn: int = 0

    @classmethod
    def open(cls, clients: Clients, template: Template) -> "Pair":
        """Make both engines, empty."""
        with ExitStack() as stack:
            pair = cls(clients, (clients, clients), stack)
            stack.enter_context(open_moto(clients, template, lambda: pair.now))
            clients.sqs.purge_queue(QueueUrl=clients.url(EVALUATE))  # a bucket of moto has sent a test
            path = Path(stack.enter_context(TemporaryDirectory())) / "engine.db"
            made = [make_clients(Store(path, durable=False, clock=lambda: pair.now)) for _ in range(2)]
            for each in made:
                stack.callback(each.store.close)
            resources = template.resources.values()
            made[0].declare([(resource.type, resource.name, resource.properties) for resource in resources], sender="")
            first, second = (Clients(each.s3, each.sqs, each.dynamodb, each.streams) for each in made)
            pair.engines, pair.stack = (first, second), stack.pop_all()
        return pair

    def close(self) -> None:
        """Close both."""
        self.stack.close()

    def ask(self, service: str, operation: str, pick: Pick = dict, **request: Any) -> tuple[Any, Any]:
        """Send a request to both and compare what `pick` makes of the answers; return what it made.

        Raises AssertionError if they differ.
        """
        self.turn += 1
        self.now += 0.001
        engine = self.engines[self.turn % 2]
        expected = self._call(getattr(getattr(self.moto, service), operation), 0, pick, request)
        answered = self._call(getattr(getattr(engine, service), operation), 1, pick, request)
        assert answered == expected, f"{operation} {request}:\n engine {answered}\n moto   {expected}"
        return expected, answered

    def each(self, read: Callable[[Clients], Any]) -> "Two":
        """Read something of each side."""
        return Two(read(self.moto), read(self.engines[0]))

    def _call(self, call: Callable[..., Mapping[str, Any]], place: int, pick: Pick, request: Mapping[str, Any]) -> Any:
        given = {name: value.at(place) if isinstance(value, Two) else value for name, value in request.items()}
        try:
            return pick(call(**given))
        except ClientError as error:
            answer: Any = error.response
            # moto adds reasons of its own to those of conditions.
            reasons = [
                (place, reason.get("Item"))
                for place, reason in enumerate(answer.get("CancellationReasons", ()))
                if reason["Code"] == "ConditionalCheckFailed"
            ]
            return answer["Error"]["Code"].rpartition(".")[2], answer.get("Item"), reasons


@dataclass(frozen=True)
class Two:
    """A value that each side has in its own form."""

    moto: Any
    engine: Any

    def at(self, place: int) -> Any:
        """Return the value of a side: 0 is moto."""
        return self.engine if place else self.moto
