"""Answers requests for AWS only when what they changed is on disk."""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from werkzeug.wrappers import Response
from werkzeug.wsgi import get_input_stream

from local.disk.store import Disk, DiskFailed

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_POLLS: Final = frozenset({"ReceiveMessage", "GetRecords", "GetShardIterator", "DescribeStream"})
"""Acknowledge nothing, and may wait long: they hold up no write, and wait for none."""
_READS: Final = frozenset(
    {"GetItem", "BatchGetItem", "Query", "Scan", "DescribeTable", "GetQueueUrl", "GetQueueAttributes", "ListQueues"}
)
_UNKEPT: Final = frozenset(
    {"TransactWriteItems", "ExecuteStatement", "ExecuteTransaction", "BatchExecuteStatement", "DeleteTable"}
    | {"PurgeQueue", "DeleteQueue"}
)
_UNKEPT_PARTS: Final = ("acl", "tagging", "legal-hold", "retention", "restore")
"""Of objects: changes of these are not recorded."""


@dataclass(frozen=True)
class Durable:
    """A WSGI application: requests that change something, one after another.

    While the disk fails, only S3's objects are read: the boards stay, and nothing is acknowledged or delivered.
    """

    application: "WSGIApplication"
    disk: Disk

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer a request."""
        return self._answer(environ)(environ, start_response)

    def _answer(self, environ: "WSGIEnvironment") -> Response:
        operation = environ.get("HTTP_X_AMZ_TARGET", "").rpartition(".")[2]
        if environ["REQUEST_METHOD"] in {"GET", "HEAD"}:
            return self._pass_on(environ)
        if self.disk.has_failed:
            return _reject(HTTPStatus.SERVICE_UNAVAILABLE, "the disk of the local stack is full or broken")
        if operation in _POLLS:
            return self._pass_on(environ)
        if operation in _UNKEPT or _names_part(environ["QUERY_STRING"]):
            return _reject(HTTPStatus.NOT_IMPLEMENTED, "the local stack does not keep what this changes")
        if operation in _READS:
            response = self._pass_on(environ)
        else:
            _read_body(environ)  # before the unit: a slow sender holds up nobody
            with self.disk.unit():
                response = self._pass_on(environ)
        try:
            self.disk.wait()
        except DiskFailed as error:
            return _reject(HTTPStatus.SERVICE_UNAVAILABLE, str(error))
        return response

    def _pass_on(self, environ: "WSGIEnvironment") -> Response:
        return Response.from_app(self.application, environ, buffered=True)


def _names_part(query: str) -> bool:
    return any(pair.partition("=")[0] in _UNKEPT_PARTS for pair in query.split("&"))


def _read_body(environ: "WSGIEnvironment") -> None:
    environ["wsgi.input"] = io.BytesIO(get_input_stream(environ).read())


def _reject(status: HTTPStatus, text: str) -> Response:
    return Response(f"{text}\n", status, mimetype="text/plain")
