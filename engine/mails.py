"""SES, which keeps mails, and Lambda, which hands invocations to the stack."""

import io
import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from engine.errors import EndpointConnectionError, refuse
from engine.messages import Sqs
from engine.store import Store

INVOCATIONS: Final = "invocations"
"""The queue of asynchronous invocations."""
MAX_SOCKET_PATH: Final = 100


class Invoked(NamedTuple):
    """The answer of a function; `error` is None, or says how it failed, as Lambda does."""

    body: bytes
    error: str | None = None


type Invoke = Callable[[str, str, bytes], Invoked]
"""A function's name, a tenant or "", and the event → the answer."""


class Ses:
    """The calls of SES's client that the gateway makes."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def send_email(
        self,
        *,
        FromEmailAddress: str,
        Destination: Mapping[str, list[str]],
        Content: Mapping[str, Mapping[str, bytes]],
        ConfigurationSetName: str | None = None,
    ) -> dict[str, str]:
        """Keep a mail of a sender that the stack declares."""
        if self.store.find_resource("sender", FromEmailAddress) is None:
            text = f"Email address is not verified. The following identities failed the check: {FromEmailAddress}"
            raise refuse("SendEmail", text, "MessageRejected")
        (recipient,) = Destination["ToAddresses"]
        with self.store.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO mails (at, sender, recipient, content) VALUES (?, ?, ?, ?)",
                (self.store.clock(), FromEmailAddress, recipient, Content["Raw"]["Data"]),
            )
        return {"MessageId": str(cursor.lastrowid)}


@dataclass
class Lambda:
    """The calls of Lambda's client that the gateway makes.

    Asynchronous invocations wait in a queue of the store, if it is declared; `run` answers the others.
    """

    sqs: Sqs
    run: Invoke | None = None

    def invoke(
        self, *, FunctionName: str, InvocationType: str = "RequestResponse", TenantId: str = "", Payload: bytes
    ) -> dict[str, Any]:
        """Invoke a function."""
        if InvocationType == "Event" and self.sqs.store.find_resource("queue", INVOCATIONS) is not None:
            body = json.dumps({"function": FunctionName, "event": json.loads(Payload)}, ensure_ascii=False)
            self.sqs.enqueue(INVOCATIONS, body)
            return {"StatusCode": 202, "Payload": io.BytesIO(b"")}
        if self.run is None:
            raise EndpointConnectionError(endpoint_url=f"the function {FunctionName}")
        try:
            answer = self.run(FunctionName, TenantId, Payload)
        except OSError as error:
            raise EndpointConnectionError(endpoint_url=f"the function {FunctionName}: {error}") from error
        failed = {"FunctionError": answer.error} if answer.error else {}
        return {"StatusCode": 200, "Payload": io.BytesIO(answer.body), **failed}


def invoke_by_socket(path: str) -> Invoke:
    """Return what has functions run by the process that serves a socket."""

    def run(function: str, tenant: str, payload: bytes) -> Invoked:
        with socket.socket(socket.AF_UNIX) as connection, reachable(path) as address:
            connection.connect(address)
            with connection.makefile("rwb") as stream:
                stream.write(json.dumps([function, tenant]).encode() + b"\n" + payload)
                stream.flush()
                connection.shutdown(socket.SHUT_WR)
                head = stream.readline()
                if not head:
                    raise ConnectionError("the connection ended before the answer")
                return Invoked(stream.read(), json.loads(head)["error"])

    return run


@contextmanager
def reachable(path: str) -> Iterator[str]:
    """Yield an address of a socket's path that is short enough for the kernel, which takes 107 bytes."""
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        yield path
        return
    folder, name = os.path.split(path)
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}/{name}"
    finally:
        os.close(descriptor)
