"""What AWS raises becomes an error that says who must act: one table, one place."""

from typing import Any

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    IncompleteReadError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    ReadTimeoutError,
    ResponseStreamingError,
)

from scoring_core.errors import LaurelError
from storage.gateway.aws import aws_errors
from storage.gateway.errors import Busy, Conflict, MetAnother, NotFound, Refused, StoreError

URL: dict[str, Any] = {"endpoint_url": "https://example.com"}


def client_error(code: str, status: int) -> ClientError:
    """Return the error of an answer."""
    response: Any = {"Error": {"Code": code, "Message": "m"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "PutObject")


def translate(error: Exception) -> StoreError:
    """Return what an error becomes."""
    with pytest.raises(StoreError) as caught, aws_errors("read x"):
        raise error
    return caught.value


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("NoSuchKey", 404, NotFound),
        ("404", 404, NotFound),  # HEAD has no body to name a code in
        ("ConditionalCheckFailedException", 400, Conflict),
        ("PreconditionFailed", 412, Conflict),
        ("412", 412, Conflict),
        ("ConditionalRequestConflict", 409, MetAnother),
        ("ProvisionedThroughputExceededException", 400, Busy),
        ("ThrottlingException", 400, Busy),
        ("RequestLimitExceeded", 400, Busy),
        ("RequestTimeout", 400, Busy),
        ("SlowDown", 503, Busy),
        ("InternalError", 500, Busy),
        ("InternalServerError", 500, Busy),
        ("ServiceUnavailable", 503, Busy),
        ("anything", 429, Busy),
        ("AccessDenied", 403, Refused),
        ("403", 403, Refused),
        ("AccessDeniedException", 400, Refused),
        ("ExpiredTokenException", 400, Refused),
        ("ValidationException", 400, Refused),
        ("NoSuchBucket", 404, Refused),
        ("ResourceNotFoundException", 400, Refused),
    ],
)
def test_each_answer_of_aws_has_its_error(code: str, status: int, kind: type[StoreError]) -> None:
    """Each answer of AWS has its kind; a missing bucket or table is our fault, never a missing result."""
    assert type(translate(client_error(code, status))) is kind


@pytest.mark.parametrize(
    ("reasons", "kind"),
    [
        (["None", "ConditionalCheckFailed"], Conflict),
        (["TransactionConflict", "None"], Conflict),
        (["ThrottlingError", "ConditionalCheckFailed"], Conflict),
        (["None", "ProvisionedThroughputExceeded"], Busy),
        (["ThrottlingError", "RequestLimitExceeded"], Busy),
        (["ConditionalCheckFailed", "ValidationError"], Refused),
        (["None", "ItemCollectionSizeLimitExceeded"], Refused),
        ([], Refused),
    ],
)
def test_canceled_transaction_is_what_its_reasons_are(reasons: list[str], kind: type[StoreError]) -> None:
    """A condition that did not hold or another writer is a conflict; an item that is too large stays too large."""
    error = client_error("TransactionCanceledException", 400)
    error.response["CancellationReasons"] = [{"Code": code} for code in reasons]  # type: ignore[typeddict-unknown-key]

    assert type(translate(error)) is kind


@pytest.mark.parametrize("code", ["PreconditionFailed", "ConditionalCheckFailedException"])
def test_lost_race_is_reported_without_conditions(code: str) -> None:
    """A caller who lost a race reads that somebody else was first, and nothing of conditions."""
    assert str(translate(client_error(code, 412))) == "read x: somebody else wrote it in the meantime"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (EndpointConnectionError(**URL), Busy),
        (ConnectTimeoutError(**URL), Busy),
        (ReadTimeoutError(**URL), Busy),
        (ConnectionClosedError(**URL), Busy),
        (ResponseStreamingError(error="cut off"), Busy),
        (IncompleteReadError(actual_bytes=1, expected_bytes=2), Busy),
        (NoCredentialsError(), Refused),
        (NoRegionError(), Refused),
        (ParamValidationError(report="r"), Refused),
    ],
)
def test_unreachable_service_may_be_tried_again(error: BotoCoreError, kind: type[StoreError]) -> None:
    """What is out of reach may be tried again; what botocore itself refuses will never be better."""
    assert type(translate(error)) is kind


def test_message_and_cause() -> None:
    """The message says what was being done, and the cause is kept."""
    error = client_error("AccessDenied", 403)

    translated_error = translate(error)

    assert str(translated_error).startswith("read x: ")
    assert translated_error.__cause__ is error
    assert isinstance(translated_error, LaurelError)
