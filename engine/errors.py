"""Errors in the form in which botocore raises those of AWS."""

from typing import Any

try:
    from botocore.exceptions import (
        BotoCoreError,
        ClientError,
        ConnectionError,  # noqa: A004  # botocore's name
        EndpointConnectionError,
        HTTPClientError,
        IncompleteReadError,
    )
except ModuleNotFoundError:  # a server of its own has no packages of AWS
    from engine.stand_ins import (  # type: ignore[assignment]
        BotoCoreError,
        ClientError,
        ConnectionError,  # noqa: A004  # likewise
        EndpointConnectionError,
        HTTPClientError,
        IncompleteReadError,
    )

__all__ = [
    "BotoCoreError",
    "ClientError",
    "ConnectionError",
    "EndpointConnectionError",
    "HTTPClientError",
    "IncompleteReadError",
    "refuse",
]

_STATUS = {
    "304": 304,
    "404": 404,
    "InternalServerError": 500,
    "InvalidRange": 416,
    "MethodNotAllowed": 405,
    "NoSuchBucket": 404,
    "NoSuchKey": 404,
    "NoSuchVersion": 404,
    "NotImplemented": 501,
    "PreconditionFailed": 412,
}


def refuse(operation: str, message: str, code: str = "ValidationException", **more: Any) -> ClientError:
    """Return the error with which AWS refuses a request.

    Args:
        operation: As AWS names it.
        message: For a person.
        code: AWS's name of the error.
        more: Further members of the answer, such as the item that did not match.
    """
    answer: Any = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": _STATUS.get(code, 400), "RetryAttempts": 0},
        **more,
    }
    return ClientError(answer, operation)
