"""Lambda functions that others invoke: most run on their own, after the caller has its answer."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from storage.gateway.errors import Busy, StoreError, aws_errors

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient


@dataclass(frozen=True, slots=True)
class AsyncFunction:
    """A function that is invoked asynchronously; Lambda invokes it again if it fails."""

    client: "LambdaClient"
    name: str

    def start(self, event: Mapping[str, Any]) -> None:
        """Invoke it, and wait for nothing. Raises NotStarted, Busy, NotFound."""
        with aws_errors(f"invoke {self.name}"):
            self.client.invoke(FunctionName=self.name, InvocationType="Event", Payload=json.dumps(event).encode())

    def hasten(self, event: Mapping[str, Any]) -> None:
        """Invoke it if that is possible; otherwise its schedule is soon enough."""
        with suppress(StoreError):
            self.start(event)


@dataclass(frozen=True, slots=True)
class SyncFunction:
    """A function whose answer the caller waits for."""

    client: "LambdaClient"
    name: str

    def ask(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Return what it answers to an event. Raises Busy; it may have acted."""
        with aws_errors(f"invoke {self.name}"):
            response = self.client.invoke(FunctionName=self.name, Payload=json.dumps(event).encode())
            answer: dict[str, Any] = json.loads(response["Payload"].read())
        if response.get("FunctionError"):
            raise Busy(f"{self.name} failed: {answer.get('errorMessage')}")
        return answer
