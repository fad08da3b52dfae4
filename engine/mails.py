"""Mails, which are kept, and functions, whose invocations are handed to the stack."""

import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from engine.messages import Messages
from engine.store import Store
from storage.gateway.errors import Busy
from storage.gateway.functions import Invoked
from storage.gateway.ses import MailRefused

INVOCATIONS: Final = "invocations"
"""The queue of asynchronous invocations."""
MAX_SOCKET_PATH: Final = 100


type Run = Callable[[str, str, bytes], Invoked]
"""A function's name, a tenant or "", and the event → the answer."""


@dataclass(frozen=True, slots=True)
class Mails:
    """The mails of a store."""

    store: Store

    def send(self, content: bytes, /, *, sender: str, to: str, configuration_set: str) -> None:  # noqa: ARG002
        """Keep a mail of a sender that the stack declares."""
        if self.store.find_resource("sender", sender) is None:
            raise MailRefused(f"send a mail: {sender} is not declared as a sender")
        with self.store.writing() as connection:
            connection.execute(
                "INSERT INTO mails (at, sender, recipient, content) VALUES (?, ?, ?, ?)",
                (self.store.clock(), sender, to, content),
            )


@dataclass
class Functions:
    """The functions of a stack.

    Asynchronous invocations wait in a queue of the store, if it is declared; `run` answers the others.
    """

    messages: Messages
    run: Run | None = None

    def ask(self, function: str, payload: bytes, /, *, tenant: str | None = None) -> Invoked:
        """Invoke a function, and wait for its answer."""
        if self.run is None:
            raise Busy(f"invoke {function}: nobody runs it")
        try:
            return self.run(function, tenant or "", payload)
        except OSError as error:
            raise Busy(f"invoke {function}: {error}") from error

    def start(self, function: str, payload: bytes, /) -> None:
        """Let a function be invoked, and wait for nothing."""
        if self.messages.store.find_resource("queue", INVOCATIONS) is None:
            self.ask(function, payload)
        else:
            body = json.dumps({"function": function, "event": json.loads(payload)}, ensure_ascii=False)
            self.messages.send(INVOCATIONS, body)


def run_by_socket(path: str) -> Run:
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
