"""Mails of the local stack go out by SMTP: once, in order, and again after a failure."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.store import Store
from local.mail import relay as relay_module
from local.mail.relay import RETRY_SECONDS, MailServer, Relay, read_server


class Postmaster(socketserver.ThreadingTCPServer):
    """An SMTP server that answers each recipient with the next code of a list, then with 250."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.codes: list[int] = []
        self.taken: list[tuple[str, str]] = []

    @property
    def address(self) -> MailServer:
        """What a relay connects to."""
        return MailServer("127.0.0.1", self.server_address[1], is_tls=False, user=None, password=None)


class _Talk(socketserver.StreamRequestHandler):
    server: Postmaster

    def handle(self) -> None:
        recipient = ""
        self._say("220 here")
        for line in self.rfile:
            word = line.split()[0].upper()
            if word == b"RCPT":
                recipient = line.decode()
                self._say(f"{self.server.codes.pop(0) if self.server.codes else 250} so it is")
            elif word == b"DATA":
                self._say("354 go on")
                text = b"".join(iter(self.rfile.readline, b".\r\n"))
                self.server.taken.append((recipient, text.decode()))
                self._say("250 taken")
            elif word == b"EHLO":
                self._say("250-here\r\n250 STARTTLS")
            elif word == b"STARTTLS":
                self._say("454 not for a name of this machine")
            else:
                self._say("250 well")

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@pytest.fixture
def postmaster() -> Iterator[Postmaster]:
    """A running SMTP server."""
    with Postmaster() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def keep(store: Store, *names: str) -> None:
    """Store mails as SES takes them."""
    for name in names:
        mail = f"From: laurel@example.org\r\nTo: {name}@example.org\r\nSubject: {name}\r\n\r\nHéllo\r\n"
        with store.writing() as connection:
            connection.execute("INSERT INTO mails (content) VALUES (?)", (mail.encode(),))


def test_each_mail_goes_out_once_in_order(postmaster: Postmaster, tmp_path: Path) -> None:
    """Old mails stay; a mail refused for the moment is tried again, one refused for good is given up with a line.

    A server on this machine needs no TLS, even if it offers it: its certificate is for another name.
    """
    lines: list[str] = []
    now = 0.0

    def start(store: Store) -> Relay:
        return Relay(store, postmaster.address, "laurel@example.org", lines.append, clock=lambda: now)

    with closing(Store(tmp_path / "laurel.db")) as store:
        keep(store, "old")
        relay = start(store)
        keep(store, "ada", "grace", "edsger")
        postmaster.codes = [450, 250, 550]
        at_once = [relay.poll(), relay.poll()]
        now += RETRY_SECONDS
        later = [relay.poll(), relay.poll(), relay.poll(), relay.poll()]
    with closing(Store(tmp_path / "laurel.db")) as store:
        relay = start(store)
        keep(store, "barbara")
        again = [relay.poll(), relay.poll()]

    assert [text.partition("Subject: ")[2].split()[0] for _, text in postmaster.taken] == ["ada", "edsger", "barbara"]
    assert "<ada@example.org>" in postmaster.taken[0][0]
    assert "Héllo" in postmaster.taken[0][1]
    assert (at_once, later, again) == ([False, False], [True, True, True, False], [True, False])
    assert ["again" in lines[0], "given up" in lines[1], len(lines)] == [True, True, 2]


def test_dead_server_loses_no_mail(postmaster: Postmaster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While no server answers, a mail waits however often it was tried; one line says so. A password needs TLS."""
    lines: list[str] = []
    now = 0.0
    monkeypatch.setattr(relay_module, "MAX_TRIES", 2)
    with closing(Store(tmp_path / "laurel.db")) as store:
        secret = postmaster.address._replace(user="laurel", password="secret")
        relay = Relay(store, secret, "laurel@example.org", lines.append, clock=lambda: now)
        keep(store, "ada")
        for _ in range(4):
            relay.poll()
            now += RETRY_SECONDS
        waiting: Any = store.read("SELECT count(*) FROM mails WHERE number > (SELECT text + 0 FROM notes)")

    assert (waiting, postmaster.taken, len(lines)) == ([(1,)], [], 1)
    assert "454" in lines[0]


@pytest.mark.parametrize(
    ("url", "password", "words"),
    [
        ("http://mail.example", None, "expected smtp://"),
        ("smtp://ada:secret@mail.example", None, "LAUREL_SMTP_PASSWORD"),
        ("smtp://ada@mail.example", None, "the password of ada is missing"),
    ],
)
def test_unusable_server_is_refused(url: str, password: str | None, words: str) -> None:
    """The message says what was expected, and never repeats a password."""
    with pytest.raises(ValueError, match=words) as caught:
        read_server(url, password)

    assert "secret" not in str(caught.value)
