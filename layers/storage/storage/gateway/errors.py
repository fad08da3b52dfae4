"""The errors of the stores, and the one place where errors of AWS become them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from scoring_core.errors import LaurelError

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

MAX_TRIES = 20

# A missing bucket or table is a wrong configuration, so it is Refused: it must never look like a missing result.
_NOT_FOUND = frozenset({"NoSuchKey", "NoSuchVersion", "404", "NotFound"})
MET_ANOTHER = "ConditionalRequestConflict"
"""S3's answer, 409, to a conditional write that meets another one. It says nothing about the condition: retry it."""
_CONFLICT = frozenset({"PreconditionFailed", "412", MET_ANOTHER, "ConditionalCheckFailedException"})
_BUSY_STATUS = frozenset({429, 500, 502, 503, 504})
_BUSY = frozenset(
    {
        "InternalServerError",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestTimeout",
        "SlowDown",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
_CANCELED = "TransactionCanceledException"
"""The answer to a transaction of which nothing was written; its reasons say why, one for each write."""
_MET = frozenset({"ConditionalCheckFailed", "TransactionConflict"})
_CROWDED = frozenset({"ProvisionedThroughputExceeded", "RequestLimitExceeded", "ThrottlingError"})


class StoreError(LaurelError):
    """Something could not be read or written; `code` is AWS's name of the error, if AWS answered."""

    code = ""


class NotFound(StoreError):
    """There is no such thing."""


class Conflict(StoreError):
    """A condition did not hold: somebody else was first."""


class Busy(StoreError):
    """Throttled or unreachable for now; the same call may succeed later."""


class NotStarted(Busy):
    """A function was not started, because there was no room for it; what it should do was not tried."""


class NewerSchema(Busy):
    """Newer code wrote it, in a schema that this code does not know; nothing was read or changed."""


class UnknownObject(StoreError):
    """The object is not Laurel's; the same call will fail again."""


class Refused(StoreError):
    """AWS rejected the call: rights, configuration, or an invalid request."""


@contextmanager
def aws_errors(action: str) -> Iterator[None]:
    """Turn errors of AWS inside the block into StoreErrors that begin with the action."""
    aws = find_exceptions()
    try:
        yield
    except aws.ClientError as error:
        kind = _kind_of(error)
        reason = "somebody else wrote it in the meantime" if kind is Conflict else error
        raised = kind(f"{action}: {reason}")
        raised.code = code_of(error)
        raise raised from error
    except (aws.ConnectionError, aws.HTTPClientError, aws.IncompleteReadError) as error:
        raise Busy(f"{action}: {error}") from error
    except aws.BotoCoreError as error:  # no credentials, no region, a request that botocore itself rejects
        raise Refused(f"{action}: {error}") from error


@cache
def find_exceptions() -> Any:
    """Return the module of AWS's errors; without AWS it is that of the engine."""
    # A player's command reads the files of boards with these stores' models, and is installed without botocore.
    try:
        return import_module("botocore.exceptions")
    except ModuleNotFoundError:
        return import_module("engine.errors")


def retry_on_conflict[Result](attempt: Callable[[], Result], *, what: str) -> Result:
    """Repeat a read and its conditional write until it has no conflict. Raises Busy."""
    for _ in range(MAX_TRIES):
        try:
            return attempt()
        except Conflict:
            continue
    raise Busy(f"{what}: lost {MAX_TRIES} races")


def status_of(error: "ClientError") -> int:
    """Return the HTTP status of an error of AWS; 0 if it has none."""
    return error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)


def code_of(error: "ClientError") -> str:
    """Return AWS's name of an error; empty if it has none."""
    return error.response.get("Error", {}).get("Code", "")


def list_reasons(error: "ClientError") -> list[Any]:
    """Return why each write of a canceled transaction was refused, in order."""
    response: Any = error.response
    return list(response.get("CancellationReasons", ()))


def _kind_of(error: "ClientError") -> type[StoreError]:
    code = code_of(error)
    if code == _CANCELED:
        return _kind_of_canceled({reason.get("Code", "None") for reason in list_reasons(error)} - {"None"})
    if code in _CONFLICT:
        return Conflict
    if code in _NOT_FOUND:
        return NotFound
    return Busy if code in _BUSY or status_of(error) in _BUSY_STATUS else Refused


def _kind_of_canceled(reasons: set[str]) -> type[StoreError]:
    """Return what a canceled transaction means.

    A write that can never succeed counts more than one that may.
    """
    if not reasons or not reasons <= _MET | _CROWDED:
        return Refused
    return Conflict if reasons & _MET else Busy
