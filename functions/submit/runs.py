"""Run tickets: signed, checked with results, and spent, by the server's clock alone.

Nothing is stored of one until it is spent.
"""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Self

from handlers.http.problems import TICKET_PREFIX, Problem, unprocessable
from scoring_core.benchmarks.terms import SubmissionTerms
from scoring_core.benchmarks.zones import UTC_NAME, find_day
from storage.keys import time_of
from storage.submissions.idempotency import RunTicketStore
from storage.submissions.models import Player, Submission

TICKET_HEADER = "laurel-ticket"
_GET_ONE = "get a new one by POST /api/benchmarks/{}/runs when the next play begins"
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


class TicketSigner(NamedTuple):
    """Signs tickets and makes seeds, with keys of its own that are derived from the stack's secret."""

    key: bytes

    @classmethod
    def derive(cls, secret: str) -> Self:
        """Return the signer of a stack; a label keeps its key apart from other uses."""
        return cls(hmac.digest(secret.encode(), b"run tickets", hashlib.sha256))

    def write(self, ticket: RunTicket) -> str:
        """Return a ticket as text: base64 of the tag and of what the ticket says."""
        values = ((ticket.issued_at - _EPOCH) // _MILLISECOND, *ticket[1:])
        content = json.dumps(values, separators=(",", ":"), ensure_ascii=False).encode()
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
        milliseconds, *values = json.loads(content)
        ticket = RunTicket(_EPOCH + milliseconds * _MILLISECOND, *values)
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


def check(
    signer: TicketSigner, headers: Mapping[str, str], terms: SubmissionTerms, *, part: str | None, player: Player
) -> RunTicket | None:
    """Return the ticket of a result; None if it has none and needs none.

    A ticket is checked and spent wherever one is sent: for half a minute some servers do not know yet that the
    benchmark demands tickets, and those need not be lost. Raises Problem 422 if there is none, or not for this
    benchmark, part and player.
    """
    text = headers.get(TICKET_HEADER)
    if text is None:
        if terms.runs is not None:
            raise _reject("ticket-needed", "expected the ticket of this play", terms)
        return None
    ticket = signer.read(text)
    if ticket is None:
        raise _reject("invalid-ticket", "this is no ticket of this site, or not all of it", terms)
    for name, issued, expected in (
        ("benchmark", ticket.benchmark, terms.id),
        ("part", ticket.part or "none", part or "none"),
        ("player", ticket.player, player.id),
    ):
        if issued != expected:
            reason = f"this ticket is of another {name}: {issued}, and the result of {expected}"
            raise _reject(f"ticket-of-another-{name}", reason, terms)
    return ticket


def check_time(ticket: RunTicket, submission: Submission, terms: SubmissionTerms) -> None:
    """Check that a result comes neither too late nor too early. Raises Problem 422.

    Its time is that of its id, so a repeat has the time of the first try.
    """
    submitted_at = time_of(submission.id)
    if submitted_at >= ticket.expires_at:
        reason = f"this ticket of {ticket.issued_at:%FT%TZ} expired at {ticket.expires_at:%FT%TZ}"
        raise _reject("expired-ticket", reason, terms)
    at_least = timedelta(seconds=terms.runs.at_least_seconds if terms.runs else 0)
    passed = max(submitted_at - ticket.issued_at, timedelta())
    if passed < at_least:
        seconds = f"{passed.total_seconds():.1f} seconds"
        detail = (
            f"Laurel-Ticket: this result comes {seconds} after its ticket, and a play takes at least "
            f"{at_least.total_seconds():.0f} seconds here; the ticket is not spent, so get it when the play begins"
        )
        raise unprocessable("too-fast", detail, parameter="Laurel-Ticket")


def spend(store: RunTicketStore, ticket: RunTicket, submission: Submission, terms: SubmissionTerms) -> None:
    """Spend a ticket on a submission; a repeat of the same changes nothing.

    Raises Problem 422 if it was spent on another submission, StoreError if it may be spent on this one.
    """
    if not store.spend(ticket.nonce, submission=submission.id, expires_at=ticket.expires_at):
        raise _reject("spent-ticket", "this ticket was used for another result, and each is for one play", terms)


def _reject(name: str, reason: str, terms: SubmissionTerms) -> Problem:
    detail = f"Laurel-Ticket: {reason}; {_GET_ONE.format(terms.id)}"
    return unprocessable(name, detail, parameter="Laurel-Ticket")
