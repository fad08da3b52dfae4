"""Counts the AWS calls of the functions and injects faults into chosen ones, before or after their effect."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from botocore.exceptions import EndpointConnectionError, ReadTimeoutError

_READS = ("Get", "Head", "List", "Query", "Scan", "BatchGet", "Describe")


class Fault(StrEnum):
    """How a call fails."""

    CRASH_BEFORE = "crash before"
    """The process dies before the call has its effect."""
    CRASH_AFTER = "crash after"
    """The call has its effect, and the process dies before it gets the answer."""
    UNREACHED = "unreached"
    """The call has no effect and raises an error; the process continues."""
    UNANSWERED = "unanswered"
    """The call has its effect and still raises an error; the process continues."""
    REPEATED = "repeated"
    """The call has its effect, its answer is lost, and the SDK repeats it."""


CRASHES = (Fault.CRASH_BEFORE, Fault.CRASH_AFTER)
MISHAPS = (Fault.UNREACHED, Fault.UNANSWERED, Fault.REPEATED)


class Crash(BaseException):
    """The process died. Only the code that started the process may catch this."""


class Call(NamedTuple):
    """One AWS call of a function.

    Args:
        number: From 0, in the order of the run.
        function: The logical id of the function.
        operation: As AWS names it.
        subject: The table, queue or key that it reads or writes.
    """

    number: int
    function: str
    operation: str
    subject: str

    @property
    def reads(self) -> bool:
        """Return whether the call only reads."""
        return self.operation.startswith(_READS)

    def __str__(self) -> str:
        return f"{self.number} {self.function}: {self.operation} {self.subject}"


@dataclass
class FaultInjector:
    """Counts every call and injects the planned faults.

    Args:
        plan: Number of a call → its fault.
        answers: Operation → function that answers it instead of AWS: from the request to the parsed response.
        on_sent: Called with the id of each message that is sent, and with the key of each object that is written.
    """

    plan: Mapping[int, Fault] = field(default_factory=dict)
    answers: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    function: str = ""
    on_sent: Callable[[str], None] = lambda _: None
    _dead: bool = False

    def revive(self) -> None:
        """Start a new process after a crash."""
        self._dead = False

    def carry(self, make: Callable[..., Any], operation: Any, request: dict[str, Any]) -> Any:
        """Make a call, with its fault if one is planned."""
        if self._dead:  # code that runs while a process unwinds must not reach AWS
            raise Crash
        call = Call(len(self.calls), self.function, operation.name, _subject_of(request))
        self.calls.append(call)
        match self.plan.get(call.number):
            case Fault.CRASH_BEFORE:
                self._die()
            case Fault.CRASH_AFTER:
                self._make(make, operation, request)
                self._die()
            case Fault.UNREACHED:
                raise EndpointConnectionError(endpoint_url=request["url"])
            case Fault.UNANSWERED:
                self._make(make, operation, request)
                raise ReadTimeoutError(endpoint_url=request["url"])
            case Fault.REPEATED:
                self._make(make, operation, request)
                if hasattr(request["body"], "seek"):  # as the SDK does before it sends a body again
                    request["body"].seek(0)
        return self._make(make, operation, request)

    def _make(self, make: Callable[..., Any], operation: Any, request: dict[str, Any]) -> Any:
        answer = self.answers.get(operation.name)
        http, parsed = (_Http(), answer(request)) if answer else make(operation, request)
        for sent in _list_sent(operation.name, request, parsed):
            self.on_sent(sent)
        return http, parsed

    def _die(self) -> None:
        self._dead = True
        raise Crash


class _Http(NamedTuple):
    """The part of a parsed HTTP response that botocore reads."""

    status_code: int = 200


@contextmanager
def attached(injector: FaultInjector, clients: Iterable[Any]) -> Iterator[None]:
    """Route every call of these clients through an injector while the context lasts."""
    endpoints = [client._endpoint for client in clients]
    for endpoint in endpoints:
        original = endpoint.make_request
        endpoint.make_request = lambda operation, request, original=original: injector.carry(
            original, operation, request
        )
    try:
        yield
    finally:
        for endpoint in endpoints:
            del endpoint.make_request


def _list_sent(operation: str, request: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield what carries a chain of requests on: ids of messages, and the key of an object."""
    match operation:
        case "SendMessage" if "MessageId" in answer:
            yield answer["MessageId"]
        case "SendMessageBatch":
            yield from (entry["MessageId"] for entry in answer.get("Successful", ()))
        case "PutObject":
            yield request["context"]["input_params"]["Key"]


def _subject_of(request: Mapping[str, Any]) -> str:
    """Return the table or queue that a request's body names, or else its path."""
    body = request["body"] or b""
    text = body.decode(errors="replace") if isinstance(body, bytes) else ""
    for mark in ('"TableName": "', '"QueueUrl": "'):
        if mark in text:
            return text.split(mark)[1].split('"')[0].rpartition("/")[2]
    return str(request.get("url_path", "")).removeprefix("/")
