"""One mail, from its thread to SES: claim the lease, look up what there is to say, send, say what became of it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from typing import NamedTuple

from ledger.drop_reports import DropReportStore
from ledger.errors import StoreError
from ledger.intents import Intent, Thread, to_moment
from ledger.keys import ResultKey
from ledger.mail_store import PUT_OFF, Claim, MailStore
from ledger.post_office import MailRefused, PostOffice
from ledger.submission_id import Clock
from ledger.submission_store import SubmissionStore
from ledger.submissions import Record
from notify.drops import count_entries, list_errors, write_drop_letter
from notify.enclosing import Case, Enclosure
from notify.envelope import make_message
from notify.letter import Attachment, Letter
from notify.recipients import Addressee, Directory, Unaddressed
from notify.wording import MAX_TOLD, sees_output, write_letter

GIVE_UP = timedelta(days=3)
DROP_PATIENCE = timedelta(days=1)
"""Longer than a drop's results are tried for, each one's queue and dead-letter queue together."""


class Unfinished(Exception):
    """A drop is still being worked through; its mail waits."""


class NothingToSay(Exception):
    """What a mail was to be about has changed meanwhile."""


class Handled(NamedTuple):
    """What became of a thread, for the log, and the submissions that its mail counts."""

    result: str
    submissions: tuple[str, ...] = ()


class _Parcel(NamedTuple):
    letter: Letter
    attachments: Sequence[Attachment]
    date: datetime


@dataclass(frozen=True, slots=True)
class Sender:
    """Sends mails; every collaborator is handed in."""

    mail: MailStore
    submissions: SubmissionStore
    directory: Directory
    post_office: PostOffice
    reports: DropReportStore
    sender_address: str
    site: str
    clock: Clock

    def send(self, thread: Thread) -> Handled:
        """Send what waits in a thread, if its lease can be had.

        Returns:
            What became of it.

        Raises:
            StoreError: It could not be sent for now; the message is to be retried.
        """
        claim = self.mail.claim(thread, now=self.clock())
        if claim is None:
            return Handled("nothing to do")
        return Handled(self._try(claim), tuple(intent.submission for intent in claim.intents if intent.submission))

    def _try(self, claim: Claim) -> str:
        try:
            return self._send(claim)
        except (MailRefused, Unaddressed, NothingToSay) as error:
            self.mail.refuse(claim, reason=str(error))
            return f"refused: {error}"
        except Unfinished:
            self.mail.put_off(claim, until=self.clock())
            return "put off"
        except StoreError as error:
            if self.clock() - to_moment(claim.intents[0].noted_at) > GIVE_UP:
                self.mail.refuse(claim, reason=f"tried for {GIVE_UP.days} days in vain: {error}")
                return "refused: tried in vain"
            self.mail.put_off(claim, until=self.clock() + PUT_OFF)
            raise

    def _send(self, claim: Claim) -> str:
        addressee = self.directory.find(claim.thread)
        if not self.sender_address:
            raise Unaddressed("no sender is set: see docs/mail.md")
        pack = self._pack_drop if claim.thread.drop else self._pack_cases
        message = self._make_message(claim, pack(claim, addressee), to=addressee.address)
        self.post_office.send(message, sender=self.sender_address, to=addressee.address)
        self.mail.finish(claim, now=self.clock())
        return "sent again" if claim.repeated else "sent"

    def _make_message(self, claim: Claim, parcel: _Parcel, *, to: str) -> EmailMessage:
        identity = hashlib.sha256("\n".join((str(claim.thread), *claim.lease.counted)).encode()).hexdigest()[:32]
        try:
            return make_message(
                parcel.letter,
                parcel.attachments,
                sender=self.sender_address,
                to=to,
                date=parcel.date,
                message_id=identity,
            )
        except ValueError as error:  # the standard library refuses what is no address
            raise MailRefused(f"the address cannot be written to: {error}") from error

    def _pack_cases(self, claim: Claim, addressee: Addressee) -> _Parcel:
        records = self._read_records(claim)
        enclosure = Enclosure(several=len(records) > 1)
        cases = [
            self._enclose(record, enclosure, claim.thread, told=number < MAX_TOLD)
            for number, record in enumerate(records)
        ]
        letter = write_letter(claim.thread, title=addressee.title, cases=cases, site=self.site)
        newest = max(datetime.fromisoformat(record.recorded_at) for record in records)
        return _Parcel(letter, enclosure.attachments, newest)

    def _read_records(self, claim: Claim) -> list[Record]:
        """Read what a mail counts; what has another outcome by now, such as a score, falls out of it."""
        records: list[Record] = []
        changed: list[Intent] = []
        for intent in claim.intents:
            record = self.submissions.find_record(
                claim.thread.benchmark,
                submission=intent.submission,
                version=intent.version,
                detailed=len(records) < MAX_TOLD,
            )
            if record is None or record.outcome is not claim.thread.outcome:
                changed.append(intent)
            else:
                records.append(record)
        self.mail.drop_intents(changed, reason="its outcome has changed")
        if not records:
            raise NothingToSay("its outcome has changed")
        return records

    def _enclose(self, record: Record, enclosure: Enclosure, thread: Thread, *, told: bool) -> Case:
        room = enclosure.result_room if told else 0
        key = ResultKey(record.submission.benchmark, record.submission.id)
        result = self.submissions.get_short_result(key, max_bytes=room) if room else None
        return enclosure.add_case(record, result=result, with_output=told and sees_output(thread))

    def _pack_drop(self, claim: Claim, addressee: Addressee) -> _Parcel:
        thread, noted_at = claim.thread, to_moment(claim.intents[0].noted_at)
        report = self.reports.find(thread.benchmark, thread.player or "", thread.drop or "")
        if report is None:
            # Its results come first: whoever receives a drop may die, and goes on when the message comes back.
            if self.clock() - noted_at < GIVE_UP:
                raise Unfinished
            raise NothingToSay(f"its drop has had no report for {GIVE_UP.days} days")
        # Under the version that the boards show, whatever the next one makes of them.
        outcomes = self.submissions.list_drop(thread.benchmark, drop=report.drop, version=addressee.version)
        counts = count_entries(report.entries, outcomes)
        if counts.waiting and self.clock() - noted_at < DROP_PATIENCE:
            raise Unfinished
        letter = write_drop_letter(
            thread.drop or "",
            title=addressee.title,
            benchmark=thread.benchmark,
            counts=counts,
            errors=list_errors(report.entries, outcomes),
            site=self.site,
        )
        return _Parcel(letter, (), noted_at)
