"""A TLS server on this machine that takes messages of hooks, and what trusts it."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

import trustme

from storage.mail.hooks import HookClient

HOST = "hooks.example.org"
DISCORD = f"https://discord.com/api/webhooks/{'1' * 18}/{'d' * 68}"
SLACK = f"https://hooks.slack.com/services/T{'0' * 8}/B{'0' * 8}/{'s' * 24}"
SERVER = f"https://{HOST}/laurel?to=team#whsec_{'c' * 32}"
HOOKS = [DISCORD, SLACK, SERVER]
SECRETS = ("d" * 68, "s" * 24, "c" * 32, "to=team")
TAKEN = b"HTTP/1.1 204 No Content\r\n\r\n"

type Respond = Callable[[ssl.SSLSocket], None]


class Received(NamedTuple):
    """A request as the server read it; names of headers are in lower case."""

    target: str
    headers: Mapping[str, str]
    body: bytes


class HookServer:
    """Takes one request a connection; `answers` has host → the bytes of the answer, or what writes it."""

    def __init__(self) -> None:
        authority = trustme.CA()
        self.certificate = authority.issue_cert(HOST, "discord.com", "hooks.slack.com")
        self.trusted = ssl.create_default_context()
        authority.configure_trust(self.trusted)
        self.requests: list[Received] = []
        self.answers: dict[str, bytes | Respond] = {}
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", 0))

    @property
    def hosts(self) -> list[str]:
        """The hosts that the requests were for, in order."""
        return [request.headers["host"] for request in self.requests]

    @property
    def client(self) -> HookClient:
        """A client for which every name is this server's, and that may connect to it."""
        return HookClient(
            resolve=lambda _: ["127.0.0.1"],
            is_allowed=lambda address: address == "127.0.0.1",
            trust=lambda: self.trusted,
            port=self.listener.getsockname()[1],
        )

    def serve(self) -> None:
        """Answer until the listener is closed."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.certificate.configure_cert(context)
        while True:
            try:
                plain, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            with suppress(OSError), context.wrap_socket(plain, server_side=True) as connection:
                self._answer(connection)

    def _answer(self, connection: ssl.SSLSocket) -> None:
        with connection.makefile("rb") as stream:
            target = stream.readline().split()[1].decode()
            headers = {}
            while line := stream.readline().strip():
                name, _, value = line.decode().partition(": ")
                headers[name.lower()] = value
            self.requests.append(Received(target, headers, stream.read(int(headers["content-length"]))))
        answer = self.answers.get(headers["host"], TAKEN)
        connection.sendall(answer) if isinstance(answer, bytes) else answer(connection)


@contextmanager
def serving_hooks() -> Iterator[HookServer]:
    """Run a server."""
    server = HookServer()
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.listener.shutdown(socket.SHUT_RDWR)
        server.listener.close()
        thread.join()
