"""Lambda functions that run on their own, after the caller has its answer."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from storage.aws.errors import StoreError, aws_errors

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
