"""One mail, from its thread to SES: claim the lease, look up what there is to say, send, say what became of it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from typing import NamedTuple

from notify.attachments import AttachmentBudget, ReportedRecord
from notify.batches import count_entries, list_errors, write_batch_mail
from notify.content import Attachment, MailContent
from notify.mime import make_message
from notify.recipients import MailTarget, NoRecipient, RecipientResolver
from notify.templates import MAX_TOLD, sees_output, write_mail
from storage.aws.errors import StoreError
from storage.batches.reports import BatchReportStore
from storage.ids import Clock
from storage.keys import ResultKey
from storage.mail.models import DigestKey, PendingMail, to_moment
from storage.mail.outbox import PUT_OFF, MailClaim, MailOutbox
from storage.mail.ses import MailRefused, SesMailer
from storage.submissions.models import SubmissionRecord
from storage.submissions.store import SubmissionStore

GIVE_UP = timedelta(days=3)
DROP_PATIENCE = timedelta(days=1)
"""Longer than a drop's results are tried for, each one's queue and dead-letter queue together."""


class BatchStillRunning(Exception):
    """A drop is still being worked through; its mail waits."""


class NothingToSend(Exception):
    """What a mail was to be about has changed meanwhile."""


class SendResult(NamedTuple):
    """What became of a thread, for the log, and the submissions that its mail counts."""

    result: str
    submissions: tuple[str, ...] = ()


class _Parcel(NamedTuple):
    letter: MailContent
    attachments: Sequence[Attachment]
    date: datetime


@dataclass(frozen=True, slots=True)
class Sender:
    """Sends mails; every collaborator is handed in."""

    outbox: MailOutbox
    submissions: SubmissionStore
    recipients: RecipientResolver
    mailer: SesMailer
    reports: BatchReportStore
    sender_address: str
    site: str
    clock: Clock

    def send(self, thread: DigestKey) -> SendResult:
        """Send what waits in a thread, if its lease can be had.

        Returns:
            What became of it.

        Raises:
            StoreError: It could not be sent for now; the message is to be retried.
        """
        claim = self.outbox.claim(thread, now=self.clock())
        if claim is None:
            return SendResult("nothing to do")
        return SendResult(self._try(claim), tuple(intent.submission for intent in claim.intents if intent.submission))

    def _try(self, claim: MailClaim) -> str:
        try:
            return self._send(claim)
        except (MailRefused, NoRecipient, NothingToSend) as error:
            self.outbox.refuse(claim, reason=str(error))
            return f"refused: {error}"
        except BatchStillRunning:
            self.outbox.put_off(claim, until=self.clock())
            return "put off"
        except StoreError as error:
            if self.clock() - to_moment(claim.intents[0].noted_at) > GIVE_UP:
                self.outbox.refuse(claim, reason=f"tried for {GIVE_UP.days} days in vain: {error}")
                return "refused: tried in vain"
            self.outbox.put_off(claim, until=self.clock() + PUT_OFF)
            raise

    def _send(self, claim: MailClaim) -> str:
        addressee = self.recipients.find(claim.thread)
        if not self.sender_address:
            raise NoRecipient("no sender is set: see docs/mail.md")
        pack = self._pack_drop if claim.thread.drop else self._pack_cases
        message = self._make_message(claim, pack(claim, addressee), to=addressee.address)
        self.mailer.send(message, sender=self.sender_address, to=addressee.address)
        self.outbox.finish(claim, now=self.clock())
        return "sent again" if claim.repeated else "sent"

    def _make_message(self, claim: MailClaim, parcel: _Parcel, *, to: str) -> EmailMessage:
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

    def _pack_cases(self, claim: MailClaim, addressee: MailTarget) -> _Parcel:
        records = self._read_records(claim)
        enclosure = AttachmentBudget(several=len(records) > 1)
        cases = [
            self._enclose(record, enclosure, claim.thread, told=number < MAX_TOLD)
            for number, record in enumerate(records)
        ]
        letter = write_mail(claim.thread, title=addressee.title, cases=cases, site=self.site)
        newest = max(datetime.fromisoformat(record.recorded_at) for record in records)
        return _Parcel(letter, enclosure.attachments, newest)

    def _read_records(self, claim: MailClaim) -> list[SubmissionRecord]:
        """Read what a mail counts; what has another outcome by now, such as a score, falls out of it."""
        records: list[SubmissionRecord] = []
        changed: list[PendingMail] = []
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
        self.outbox.drop_intents(changed, reason="its outcome has changed")
        if not records:
            raise NothingToSend("its outcome has changed")
        return records

    def _enclose(
        self, record: SubmissionRecord, enclosure: AttachmentBudget, thread: DigestKey, *, told: bool
    ) -> ReportedRecord:
        room = enclosure.result_room if told else 0
        key = ResultKey(record.submission.benchmark, record.submission.id)
        result = self.submissions.get_short_result(key, max_bytes=room) if room else None
        return enclosure.add_case(record, result=result, with_output=told and sees_output(thread))

    def _pack_drop(self, claim: MailClaim, addressee: MailTarget) -> _Parcel:
        thread, noted_at = claim.thread, to_moment(claim.intents[0].noted_at)
        report = self.reports.find(thread.benchmark, thread.player or "", thread.drop or "")
        if report is None:
            # Its results come first: whoever receives a drop may die, and goes on when the message comes back.
            if self.clock() - noted_at < GIVE_UP:
                raise BatchStillRunning
            raise NothingToSend(f"its drop has had no report for {GIVE_UP.days} days")
        # Under the version that the boards show, whatever the next one makes of them.
        outcomes = self.submissions.list_drop(thread.benchmark, drop=report.drop, version=addressee.version)
        counts = count_entries(report.entries, outcomes)
        if counts.waiting and self.clock() - noted_at < DROP_PATIENCE:
            raise BatchStillRunning
        letter = write_batch_mail(
            thread.drop or "",
            title=addressee.title,
            benchmark=thread.benchmark,
            counts=counts,
            errors=list_errors(report.entries, outcomes),
            site=self.site,
        )
        return _Parcel(letter, (), noted_at)
