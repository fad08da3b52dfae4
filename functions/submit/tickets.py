"""Run tickets as text: what a ticket says, signed, so that nothing is stored until it is spent."""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Self

from handlers.http.problems import TICKET_PREFIX
from scoring_core.benchmarks.zones import UTC_NAME, find_day

NONCE_BYTES = 12
_SEED_DIGITS = 16
_TAG_BYTES = 16
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_IS_TICKET = re.compile(f"{TICKET_PREFIX}[A-Za-z0-9_-]{{40,480}}")


class RunTicket(NamedTuple):
    """What a ticket says.

    Args:
        issued_at: In UTC, to the millisecond.
        lifetime_seconds: How long it is valid from then on.
        nonce: Random hexadecimal digits, which no other ticket has.
        seed: 16 hexadecimal digits, or None.
        benchmark: The only benchmark that it is for.
        part: The only part, if the benchmark has parts.
        player: The id of the only player.
    """

    issued_at: datetime
    lifetime_seconds: int
    nonce: str
    seed: str | None
    benchmark: str
    part: str | None
    player: str

    @property
    def expires_at(self) -> datetime:
        """The moment from which on it is no longer accepted."""
        return self.issued_at + timedelta(seconds=self.lifetime_seconds)


@dataclass(frozen=True, slots=True)
class TicketSigner:
    """Signs tickets and makes seeds, with keys of its own that are derived from the stack's secret."""

    key: bytes

    @classmethod
    def derive(cls, secret: str) -> Self:
        """Return the signer of a stack; a label keeps its key apart from other uses."""
        return cls(hmac.digest(secret.encode(), b"run tickets", hashlib.sha256))

    def write(self, ticket: RunTicket) -> str:
        """Return a ticket as text: base64 of the tag and of what the ticket says."""
        milliseconds = (ticket.issued_at - _EPOCH) // _MILLISECOND
        values = (
            str(milliseconds),
            str(ticket.lifetime_seconds),
            ticket.nonce,
            ticket.seed or "",
            ticket.benchmark,
            ticket.part or "",
            ticket.player,
        )
        content = "\0".join(values).encode()
        return TICKET_PREFIX + base64.urlsafe_b64encode(self._sign(content) + content).decode().rstrip("=")

    def read(self, text: str) -> RunTicket | None:
        """Return what a ticket says; None if this signer never wrote exactly this text."""
        if not _IS_TICKET.fullmatch(text):
            return None
        encoded = text.removeprefix(TICKET_PREFIX)
        try:
            packed = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
        except ValueError:
            return None
        tag, content = packed[:_TAG_BYTES], packed[_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._sign(content)):
            return None
        milliseconds, lifetime, nonce, seed, benchmark, part, player = content.decode().split("\0")
        issued_at = _EPOCH + int(milliseconds) * _MILLISECOND
        ticket = RunTicket(issued_at, int(lifetime), nonce, seed or None, benchmark, part or None, player)
        # Base64 has several spellings of the same bytes: accept only the one that `write` returns.
        return ticket if self.write(ticket) == text else None

    def make_daily_seed(self, benchmark: str, part: str | None, moment: datetime, *, time_zone: str = UTC_NAME) -> str:
        """Return the seed of a day in a zone: the same for all.

        Nobody has it before the day. A date begins earlier in some zones than in others, so each zone has seeds of its
        own: if its owner gives a benchmark another zone, that reveals no seed of a day to come.
        """
        zone = () if time_zone == UTC_NAME else (time_zone,)
        return self._make_seed("daily", benchmark, part or "", f"{find_day(moment, time_zone):%F}", *zone)

    def make_random_seed(self, nonce: str) -> str:
        """Return the seed of one ticket."""
        return self._make_seed("random", nonce)

    def _make_seed(self, *about: str) -> str:
        return self._digest("seed", "\0".join(about).encode()).hex()[:_SEED_DIGITS]

    def _sign(self, content: bytes) -> bytes:
        return self._digest("ticket", content)[:_TAG_BYTES]

    def _digest(self, purpose: str, content: bytes) -> bytes:
        return hmac.digest(self.key, f"{purpose}\0".encode() + content, hashlib.sha256)
