"""Sends messages to hooks: by HTTPS, to public addresses alone, within five seconds."""

import base64
import hashlib
import hmac
import re
import socket
import ssl
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import IPv4Address, ip_address
from time import monotonic
from typing import Final

from scoring_core.benchmarks.hooks import Hook
from storage.aws.errors import Busy
from storage.aws.ses import MailRefused, MailUncertain
from storage.ids import Clock, utc_now

MAX_LINE_BYTES: Final = 1024
"""So much is read of an answer: its first line."""
_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)\b")


class HookGone(MailRefused):
    """There is no such hook any more."""


def is_public(address: str) -> bool:
    """Return whether an address is of IPv4 and the internet.

    >>> [is_public(address) for address in ("1.1.1.1", "169.254.169.254", "224.0.0.1", "64:ff9b::7f00:1")]
    [True, False, False, False]
    """
    parsed = ip_address(address)  # one of IPv6 can hold a private one
    return isinstance(parsed, IPv4Address) and parsed.is_global and not parsed.is_multicast


def resolve(host: str) -> list[str]:
    """Return the IPv4 addresses of a host. Raises OSError."""
    return [str(answer[4][0]) for answer in socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)]


@dataclass(frozen=True, slots=True)
class HookClient:
    """Sends messages to hooks. Only tests replace what decides where a connection may go."""

    clock: Clock = utc_now
    resolve: Callable[[str], Sequence[str]] = resolve
    is_allowed: Callable[[str], bool] = is_public
    trust: Callable[[], ssl.SSLContext] = ssl.create_default_context
    port: int = 443
    deadline_seconds: float = 5.0

    def send(self, hook: Hook, body: bytes, *, message_id: str) -> None:
        """Send a message; once this returns, the hook has it.

        Raises MailRefused if the hook will never take it, HookGone if there is no such hook, Busy if it cannot be sent
        now, MailUncertain if that is not known. No error has more of the address than its host.
        """
        status = self._exchange(hook, self._make_request(hook, body, message_id))
        text = f"the hook answered {status}"
        if status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
            raise HookGone(text)
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            raise Busy(text)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise MailUncertain(text)
        if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            raise MailRefused(text)

    def _make_request(self, hook: Hook, body: bytes, message_id: str) -> bytes:
        lines = [
            f"POST {hook.target} HTTP/1.1",
            f"Host: {hook.host}",
            "User-Agent: Laurel-Hooks/1",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            "Connection: close",
        ]
        if hook.secret:  # as https://www.standardwebhooks.com says
            sent_at = int(self.clock().timestamp())
            digest = hmac.digest(hook.secret, f"{message_id}.{sent_at}.".encode() + body, hashlib.sha256)
            lines += [f"webhook-id: {message_id}", f"webhook-timestamp: {sent_at}"]
            lines.append(f"webhook-signature: v1,{base64.b64encode(digest).decode()}")
        return "\r\n".join([*lines, "", ""]).encode() + body

    def _exchange(self, hook: Hook, request: bytes) -> int:
        """Return the status of the answer.

        Without http.client, which limits the time of each read, not of all, and parses headers.
        """
        end, is_sent = monotonic() + self.deadline_seconds, False
        try:
            address = self._find_address(hook.host, end)
            with socket.create_connection((address, self.port), timeout=_left(end)) as plain:
                plain.settimeout(_left(end))
                with self.trust().wrap_socket(plain, server_hostname=hook.host) as connection:
                    connection.settimeout(_left(end))
                    is_sent = True
                    connection.sendall(request)
                    line = _read_line(connection, end)
        except OSError as error:
            raise (MailUncertain if is_sent else Busy)(f"the hook did not answer: {type(error).__name__}") from error
        match = _STATUS.match(line)
        if match is None:
            raise MailUncertain("the hook did not answer in HTTP/1")
        return int(match[1])

    def _find_address(self, host: str, end: float) -> str:
        """Return the address to connect to: no later answer leads elsewhere."""
        resolver = ThreadPoolExecutor(1)  # because no resolver takes a deadline
        try:
            addresses = resolver.submit(self.resolve, host).result(timeout=_left(end))
        finally:
            resolver.shutdown(wait=False)
        if not addresses or not all(map(self.is_allowed, addresses)):
            raise MailRefused("the hook's host is not on the internet")
        return addresses[0]


def _read_line(connection: ssl.SSLSocket, end: float) -> bytes:
    """Read up to a line's end, the limit, or the end of the connection."""
    line = b""
    while b"\n" not in line and len(line) < MAX_LINE_BYTES:
        connection.settimeout(_left(end))
        received = connection.recv(MAX_LINE_BYTES)
        if not received:
            break
        line += received
    return line


def _left(end: float) -> float:
    """Return the seconds that are left. Raises TimeoutError."""
    left = end - monotonic()
    if left <= 0:
        raise TimeoutError
    return left
