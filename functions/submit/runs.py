"""Issues run tickets, checks those of results, and spends them: by the server's clock alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from handlers.http.problems import Problem, not_found, unprocessable
from scoring_core.benchmarks.terms import RunTerms, SubmissionTerms
from storage.ids import time_of
from storage.submissions.models import Player, RunStart, Submission
from storage.submissions.run_tickets import RunTicketStore
from submit.tickets import NONCE_BYTES, RunTicket, TicketSigner

TICKET_HEADER = "laurel-ticket"
_GET_ONE = "get a new one by POST /api/benchmarks/{}/runs when the next play begins"


class IssuedTicket(NamedTuple):
    """A new ticket, as text and in plain."""

    text: str
    ticket: RunTicket


@dataclass(frozen=True, slots=True)
class RunTicketService:
    """Serves games that need tickets. Issuing one writes nothing; spending one is one write."""

    signer: TicketSigner
    store: RunTicketStore

    def issue(
        self, terms: SubmissionTerms, *, part: str | None, player: Player, now: datetime, randomness: bytes
    ) -> IssuedTicket:
        """Return a ticket for one play that begins now.

        Args:
            terms: The benchmark's.
            part: The part that is played, if there are parts.
            player: The player of the run.
            now: The server's time.
            randomness: NONCE_BYTES random bytes.

        Raises:
            Problem: 404, the benchmark has no run tickets.
        """
        if terms.runs is None:
            raise not_found("there are no run tickets here: submit the result without one")
        nonce = randomness[:NONCE_BYTES].hex()
        seed = self._make_seed(terms.runs, terms.id, part, nonce, now)
        issued_at = now.replace(microsecond=now.microsecond // 1000 * 1000)
        ticket = RunTicket(issued_at, terms.runs.max_age_seconds, nonce, seed, terms.id, part, player.id)
        return IssuedTicket(self.signer.write(ticket), ticket)

    def check(
        self, headers: Mapping[str, str], terms: SubmissionTerms, *, part: str | None, player: Player
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
        ticket = self.signer.read(text)
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

    def check_time(self, ticket: RunTicket, submission: Submission, terms: SubmissionTerms) -> None:
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

    def spend(self, ticket: RunTicket, submission: Submission, terms: SubmissionTerms) -> None:
        """Spend a ticket on a submission; a repeat of the same changes nothing.

        Raises Problem 422 if it was spent on another submission, StoreError if it may be spent on this one.
        """
        if not self.store.spend(ticket.nonce, submission=submission.id, expires_at=ticket.expires_at):
            raise _reject("spent-ticket", "this ticket was used for another result, and each is for one play", terms)

    def _make_seed(self, runs: RunTerms, benchmark: str, part: str | None, nonce: str, now: datetime) -> str | None:
        match runs.seed:
            case "daily":
                return self.signer.make_daily_seed(benchmark, part, now, time_zone=runs.time_zone)
            case "random":
                return self.signer.make_random_seed(nonce)
            case None:
                return None


def start_of(ticket: RunTicket | None) -> RunStart | None:
    """Return what a submission keeps of its ticket."""
    return None if ticket is None else RunStart(ticket.issued_at, ticket.seed)


def _reject(name: str, reason: str, terms: SubmissionTerms) -> Problem:
    detail = f"Laurel-Ticket: {reason}; {_GET_ONE.format(terms.id)}"
    return unprocessable(name, detail, parameter="Laurel-Ticket")
