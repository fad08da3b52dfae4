"""Sends the mails of the local stack by a real SMTP server, in order, as long as it takes."""

import contextlib
import email
import smtplib
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.policy import SMTP
from email.utils import getaddresses
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from cli.sites import is_this_machine
from engine.store import Store

PASSWORD_VARIABLE: Final = "LAUREL_SMTP_PASSWORD"  # noqa: S105  # the name of a variable
RETRY_SECONDS: Final = 60.0
MAX_TRIES: Final = 60
"""How often a mail is tried that the server refuses for the moment. While no server answers, none is given up."""
TIMEOUT_SECONDS: Final = 30.0
PERMANENT: Final = 500
"""Codes from here on refuse a mail for good."""
_POSITION: Final = "relayed"
"""Note in the store: the number of the last mail that is done."""
_PORTS: Final = {"smtp": 587, "smtps": 465}


class MailServer(NamedTuple):
    """An SMTP server; with a user, only over TLS."""

    host: str
    port: int
    is_tls: bool
    user: str | None
    password: str | None


def read_server(url: str, password: str | None) -> MailServer:
    """Return the server of `smtp://user@host:587` or `smtps://…`. Raises ValueError."""
    parts = urlsplit(url)
    if parts.password:
        raise ValueError(f"--smtp: a password in the address is seen by all users: put it into {PASSWORD_VARIABLE}")
    if parts.scheme not in _PORTS or not parts.hostname or parts.path not in {"", "/"}:
        raise ValueError(f"--smtp: expected smtp://USER@HOST:PORT or smtps://…, found {url!r}")
    user = unquote(parts.username) if parts.username else None
    if user and not password:
        raise ValueError(f"--smtp: the password of {user} is missing: put it into {PASSWORD_VARIABLE}")
    return MailServer(parts.hostname, parts.port or _PORTS[parts.scheme], parts.scheme == "smtps", user, password)


@dataclass
class Relay:
    """Sends each mail that is stored from now on; a crash at the wrong moment repeats one.

    Args:
        store: Where the mails are.
        server: Takes them.
        sender: The address that they come from.
        log: Takes lines that a person should read.
        clock: Counts seconds.
        retry_seconds: How long it waits after a failure.
    """

    store: Store
    server: MailServer
    sender: str
    log: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    retry_seconds: float = RETRY_SECONDS
    _due: float = field(default=0.0, init=False)
    _tries: int = field(default=0, init=False)
    _failure: str = field(default="", init=False)

    def __post_init__(self) -> None:
        """Skip the mails of before, if this is the first start with a server."""
        if self.store.find_note(_POSITION) is None:
            ((last,),) = self.store.read("SELECT coalesce(max(number), 0) FROM mails")
            self._finish(last)

    def has_mail(self, _: object = None) -> bool:
        """Return whether there is a mail to send, whose next try is due."""
        return self.clock() >= self._due and bool(self._find_next())

    def poll(self) -> bool:
        """Send the next mail; return whether there was one."""
        if self.clock() < self._due:
            return False
        rows = self._find_next()
        if not rows:
            return False
        number, content = rows[0]
        self.store.sync()  # what is sent must not be forgotten
        try:
            self._send(content)
        except (OSError, smtplib.SMTPException) as error:
            return self._note(number, error)
        self._failure = ""
        self._finish(number)
        return True

    def _find_next(self) -> list[Any]:
        query = "SELECT number, content FROM mails WHERE number > (SELECT text + 0 FROM notes WHERE name = ?) LIMIT 1"
        return self.store.read(query, _POSITION)

    def _send(self, content: bytes) -> None:
        mail = email.message_from_bytes(content, policy=SMTP)
        recipients = [address for _, address in getaddresses(mail.get_all("To", []))]
        tls = ssl.create_default_context()
        if self.server.is_tls:
            client: smtplib.SMTP = smtplib.SMTP_SSL(
                self.server.host, self.server.port, timeout=TIMEOUT_SECONDS, context=tls
            )
        else:
            client = smtplib.SMTP(self.server.host, self.server.port, timeout=TIMEOUT_SECONDS)
        try:
            client.ehlo()
            if not self.server.is_tls and self._wants_tls(client):
                client.starttls(context=tls)  # fails without TLS, before a password is sent
            if self.server.user and self.server.password:
                client.login(self.server.user, self.server.password)
            client.sendmail(self.sender, recipients, content)
        finally:
            with contextlib.suppress(OSError, smtplib.SMTPException):  # whatever comes after the mail was taken
                client.quit()

    def _wants_tls(self, client: smtplib.SMTP) -> bool:
        """Return whether to ask for TLS.

        The certificate of a mail server on this machine is rarely for localhost.
        """
        return bool(self.server.user) or (client.has_extn("starttls") and not is_this_machine(self.server.host))

    def _note(self, number: int, error: Exception) -> bool:
        """Wait before the next try, or return True: this mail is given up."""
        text = f"mail {number:06} is not sent by {self.server.host}: {error}"
        code = _find_code(error)
        if code is not None:
            self._tries += 1
        if code is not None and (code >= PERMANENT or self._tries >= MAX_TRIES):
            self.log(f"{text}; given up")
            self._finish(number)
            return True
        if text != self._failure:  # each reason once
            self.log(f"{text}; tried again every {self.retry_seconds:g} seconds")
            self._failure = text
        self._due = self.clock() + self.retry_seconds
        return False

    def _finish(self, number: int) -> None:
        self._tries = 0
        self.store.put_note(_POSITION, str(number))


def _find_code(error: Exception) -> int | None:
    """Return the code with which a server refused a mail; None: it did not get so far."""
    match error:
        case smtplib.SMTPRecipientsRefused(recipients=recipients):
            return max(code for code, _ in recipients.values())
        case smtplib.SMTPDataError(smtp_code=code) | smtplib.SMTPSenderRefused(smtp_code=code):
            return int(code)
    return None
