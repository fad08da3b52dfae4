"""Lambda functions that others invoke: most run on their own, after the caller has its answer."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from storage.gateway.errors import Busy, StoreError


class Invoked(NamedTuple):
    """The answer of a function; `error` is None, or says how it failed, as Lambda does."""

    body: bytes
    error: str | None = None


class Functions(Protocol):
    """Where functions are: `AwsFunctions`, or the engine's. Any call raises Busy, NotFound or Refused."""

    def ask(self, function: str, payload: bytes, /, *, tenant: str | None = None) -> Invoked:
        """Invoke a function, and wait for its answer; it may have acted when this raises."""

    def start(self, function: str, payload: bytes, /) -> None:
        """Invoke a function asynchronously, and wait for nothing."""


class LambdaFunction(NamedTuple):
    """A function that others invoke."""

    client: Functions
    name: str

    def start(self, event: Mapping[str, Any]) -> None:
        """Invoke it, and wait for nothing; Lambda invokes it again if it fails.

        Raises Busy, NotFound.
        """
        self.client.start(self.name, json.dumps(event).encode())

    def hasten(self, event: Mapping[str, Any]) -> None:
        """Start it if that is possible; otherwise its schedule is soon enough."""
        with suppress(StoreError):
            self.start(event)

    def ask(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Return what it answers to an event. Raises Busy; it may have acted."""
        invoked = self.client.ask(self.name, json.dumps(event).encode())
        answer: dict[str, Any] = json.loads(invoked.body)
        if invoked.error:
            raise Busy(f"{self.name} failed: {answer.get('errorMessage')}")
        return answer
