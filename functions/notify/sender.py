"""Sends one mail: takes the lease of a digest, reads what there is to say, sends it and records the result."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.policy import SMTP
from functools import partial
from typing import ClassVar, NamedTuple

from notify.attachments import AttachmentBudget
from notify.batch_mail import write_batch_mail
from notify.batches import GIVE_UP, BatchReader
from notify.content import Attachment, MailContent, make_message
from notify.recipients import NoRecipient, RecipientAddress, RecipientResolver
from notify.templates import (
    MAX_DETAILED,
    MailTopic,
    mark_repeat,
    sees_output,
    write_invitation_mail,
    write_mail,
    write_plain_mail,
    write_reviews_mail,
)
from storage.gateway.errors import StoreError
from storage.gateway.ses import MailRefused, Mails, MailUncertain
from storage.keys import Clock, ResultKey
from storage.mail.models import DigestKey, DigestKind, PendingMail, to_moment
from storage.mail.outbox import DEFERRAL, LeasedMail, MailOutbox
from storage.players.invitations import InvitationState
from storage.submissions.decisions import ReviewStore, WithdrawalStore
from storage.submissions.models import SubmissionRecord
from storage.submissions.store import SubmissionStore

_DECIDED = "it was decided already"
_ENDED = "the invitation has ended"
_NO_REPORT = f"its batch has had no report for {GIVE_UP.days} days"


class NothingToSend(Exception):
    """What the mail was about no longer holds."""


class SendResult(NamedTuple):
    """What happened to a digest, for the log, and the submissions that its mail reports."""

    result: str
    submissions: tuple[str, ...] = ()


class _Mail(NamedTuple):
    content: MailContent
    attachments: Sequence[Attachment]
    date: datetime


@dataclass(frozen=True, slots=True)
class Sender:
    """Sends mails; the configuration set names where SES reports bounces and complaints."""

    outbox: MailOutbox
    submissions: SubmissionStore
    reviews: ReviewStore
    withdrawals: WithdrawalStore
    recipients: RecipientResolver
    batches: BatchReader
    mails: Mails
    configuration_set: str
    sender_address: str
    site: str
    clock: Clock

    def send(self, digest: DigestKey) -> SendResult:
        """Send the pending mails of a digest as one, if its lease is free.

        Raises StoreError if it could not be sent for now; the message must be retried.
        """
        choose = partial(self._choose_batches, digest) if digest.kind is DigestKind.BATCHES else tuple
        leased = self.outbox.lease(digest, now=self.clock(), choose=choose)
        if leased is None:
            return SendResult("nothing to do")
        return SendResult(self._try(leased), tuple(mail.subject for mail in leased.mails if mail.subject))

    def _try(self, leased: LeasedMail) -> str:
        try:
            return self._send(leased)
        except (MailRefused, NoRecipient, NothingToSend) as error:
            self.outbox.refuse(leased, reason=str(error))
            return f"refused: {error}"
        except StoreError as error:
            if self.clock() - to_moment(leased.mails[0].added_at) > GIVE_UP:
                self.outbox.refuse(leased, reason=f"all retries failed for {GIVE_UP.days} days: {error}")
                return "refused: all retries failed"
            self.outbox.defer(leased, until=self.clock() + DEFERRAL, uncertain=isinstance(error, MailUncertain))
            raise

    def _send(self, leased: LeasedMail) -> str:
        target = self.recipients.find(leased.digest)
        if not self.sender_address:
            raise NoRecipient("no sender is set: see docs/mail.md")
        mail = self._READERS.get(leased.digest.kind, Sender._write_plain)(self, leased, target)
        self._deliver(
            leased, mail._replace(content=mark_repeat(mail.content)) if leased.lease.uncertain else mail, target
        )
        try:
            self.outbox.finish(leased, now=self.clock())
        except StoreError as error:
            raise MailUncertain("the mail was sent, and that could not be recorded") from error
        return "sent again" if leased.lease.uncertain else "sent"

    def _deliver(self, leased: LeasedMail, mail: _Mail, target: RecipientAddress) -> None:
        identity = hashlib.sha256("\n".join((str(leased.digest), *leased.lease.counted)).encode()).hexdigest()[:32]
        named = {"sender": self.sender_address, "to": target.address}
        try:
            message = make_message(mail.content, mail.attachments, **named, date=mail.date, mail_id=identity)
        except ValueError as error:  # from the standard library, which checks addresses
            raise MailRefused(f"the address cannot be written to: {error}") from error
        content = message.as_bytes(policy=SMTP.clone(cte_type="7bit"))
        self.mails.send(content, **named, configuration_set=self.configuration_set)

    def _write_mail(self, leased: LeasedMail, target: RecipientAddress) -> _Mail:
        records = self._read_records(leased)
        budget = AttachmentBudget(several=len(records) > 1)
        reported = []
        for number, record in enumerate(records):
            detailed = number < MAX_DETAILED
            room, key = budget.result_room if detailed else 0, ResultKey(leased.digest.benchmark, record.submission.id)
            result = self.submissions.get_short_result(key, max_bytes=room) if room else None
            with_output = detailed and sees_output(leased.digest)
            reported.append(budget.add_record(record, result=result, with_output=with_output))
        content = write_mail(leased.digest, title=target.title, reported=reported, site=self.site)
        newest = max(datetime.fromisoformat(record.recorded_at) for record in records)
        return _Mail(content, budget.attachments, newest)

    def _write_reviews_mail(self, leased: LeasedMail, target: RecipientAddress) -> _Mail:
        records = self._keep_waiting(leased, self._read_records(leased))
        content = write_reviews_mail(self._topic(leased, target), records)
        return _Mail(content, (), to_moment(leased.mails[0].added_at))

    def _keep_waiting(self, leased: LeasedMail, records: Sequence[SubmissionRecord]) -> list[SubmissionRecord]:
        """Return the records that still wait; discard the mails about others."""
        benchmark = leased.digest.benchmark
        waiting = self.reviews.find_waiting(records)
        left = waiting - self.withdrawals.find_all(benchmark, waiting).keys()
        self.outbox.discard((mail for mail in leased.mails if mail.subject not in left), reason=_DECIDED)
        if not left:
            raise NothingToSend(_DECIDED)
        return [record for record in records if record.submission.id in left]

    def _read_records(self, leased: LeasedMail) -> list[SubmissionRecord]:
        """Read the records to mail, and discard those whose outcome has changed."""
        records: list[SubmissionRecord] = []
        changed: list[PendingMail] = []
        for mail in leased.mails:
            record = self.submissions.find_record(
                leased.digest.benchmark,
                submission=mail.subject,
                version=mail.topic,
                detailed=len(records) < MAX_DETAILED,
            )
            if record is None or record.outcome is not leased.digest.outcome:
                changed.append(mail)
            else:
                records.append(record)
        self.outbox.discard(changed, reason="its outcome has changed")
        if not records:
            raise NothingToSend("its outcome has changed")
        return self.recipients.players.name_records(records)

    def _choose_batches(self, digest: DigestKey, mails: Sequence[PendingMail]) -> Sequence[PendingMail]:
        """Return the mails about batches that can go; all, if they have no recipient."""
        try:
            target = self.recipients.find(digest)
        except NoRecipient:
            return mails
        return self.batches.choose(mails, version=target.version)

    def _write_batch_mail(self, leased: LeasedMail, target: RecipientAddress) -> _Mail:
        # Count outcomes under the version that the board shows, whatever they are under the next one.
        read = [(mail, self.batches.read(mail, version=target.version)) for mail in leased.mails]
        self.outbox.discard((mail for mail, batch in read if batch is None), reason=_NO_REPORT)
        batches = [batch for _, batch in read if batch is not None]
        if not batches:
            raise NothingToSend(_NO_REPORT)
        content = write_batch_mail(batches, title=target.title, site=self.site)
        return _Mail(content, (), to_moment(leased.mails[0].added_at))

    def _write_invitation_mail(self, leased: LeasedMail, target: RecipientAddress) -> _Mail:
        invitation = self.recipients.find_invitation(leased.digest)
        is_open = invitation is not None and invitation.state_at(self.clock()) is InvitationState.OPEN
        if invitation is None or target.published is None or not is_open:
            raise NothingToSend(_ENDED)
        account = self.recipients.players.find(invitation.maker)
        content = write_invitation_mail(
            self._topic(leased, target),
            invitation,
            code=leased.mails[0].text,
            inviter=account.player.name if account else "",
            benchmark_summary=target.published.definition.summary,
        )
        return _Mail(content, (), invitation.made_at)

    def _topic(self, leased: LeasedMail, target: RecipientAddress) -> MailTopic:
        return MailTopic(leased.digest.benchmark, target.title, self.site)

    def _write_plain(self, leased: LeasedMail, target: RecipientAddress) -> _Mail:
        content = write_plain_mail(self._topic(leased, target), leased.digest.kind, leased.mails)
        return _Mail(content, (), to_moment(leased.mails[0].added_at))

    _READERS: ClassVar[Mapping[DigestKind, Callable[["Sender", LeasedMail, RecipientAddress], _Mail]]] = {
        DigestKind.RESULTS: _write_mail,
        DigestKind.BATCHES: _write_batch_mail,
        DigestKind.EVALUATIONS: _write_mail,
        DigestKind.REVIEWS: _write_reviews_mail,
        DigestKind.FAILURES: _write_mail,
        DigestKind.INVITATION: _write_invitation_mail,
    }
    """The mails for which more is read than the pending mails."""
