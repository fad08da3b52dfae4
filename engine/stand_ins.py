"""The errors of botocore that a caller tells apart, for a server without AWS's packages."""

from collections.abc import Mapping
from typing import Any


class ClientError(Exception):
    """A request was refused; `response` is the answer as AWS gives it."""

    def __init__(self, error_response: Mapping[str, Any], operation_name: str) -> None:
        error = error_response["Error"]
        super().__init__(f"An error occurred ({error['Code']}) when calling the {operation_name}: {error['Message']}")
        self.response = error_response
        self.operation_name = operation_name


class BotoCoreError(Exception):
    """A request could not be made."""


class ConnectionError(BotoCoreError):  # noqa: A001  # botocore's name
    """Nobody answers."""


class EndpointConnectionError(ConnectionError):
    """Nobody answers at an address."""

    def __init__(self, *, endpoint_url: str) -> None:
        super().__init__(f'Could not connect to the endpoint URL: "{endpoint_url}"')


class HTTPClientError(BotoCoreError):
    """An answer did not arrive."""


class IncompleteReadError(BotoCoreError):
    """An answer ended too early."""
