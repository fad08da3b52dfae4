"""What the handlers of this room work with, each built once from the environment of its function."""

import os
from functools import cache
from typing import NamedTuple

from notify.batches import BatchReader
from notify.recipients import RecipientResolver
from notify.sender import Sender
from storage.batches.reports import BatchReportStore
from storage.benchmarks.store import BenchmarkStore
from storage.discarded import DiscardedBatches
from storage.gateway import clients
from storage.gateway.bucket import Bucket
from storage.gateway.queue import Queue
from storage.gateway.table import Table
from storage.keys import Clock, utc_now
from storage.mail.outbox import MailOutbox, SuppressionStore
from storage.players.invitations import InvitationStore
from storage.players.players import PlayerStore
from storage.settings import NotifySettings, SendSettings
from storage.submissions.decisions import ReviewStore, WithdrawalStore
from storage.submissions.store import SubmissionStore


class OutboxDependencies(NamedTuple):
    """What the handler of the submissions table's stream works with."""

    outbox: MailOutbox
    queue: Queue
    clock: Clock


class SendDependencies(NamedTuple):
    """What sends mail works with."""

    outbox: MailOutbox
    sender: Sender
    suppressions: SuppressionStore
    queue: Queue
    clock: Clock


@cache
def stream_dependencies() -> OutboxDependencies:
    """Return what the handler of the stream works with."""
    settings = NotifySettings.read(os.environ)
    outbox = MailOutbox(Table(clients.gateway().tables, settings.mail_table))
    return OutboxDependencies(outbox, Queue(clients.gateway().messages, settings.mail_queue_url), utc_now)


@cache
def discarded_batches() -> DiscardedBatches:
    """Return the batches that Lambda discarded for readers of the stream."""
    return DiscardedBatches(Bucket(clients.gateway().objects, NotifySettings.read(os.environ).results_bucket))


@cache
def send_dependencies() -> SendDependencies:
    """Return what sends mail works with."""
    settings = SendSettings.read(os.environ)
    access = Table(clients.gateway().tables, settings.access_table)
    mail = Table(clients.gateway().tables, settings.mail_table)
    records = Table(clients.gateway().tables, settings.submissions_table)
    results = Bucket(clients.gateway().objects, settings.results_bucket)
    suppressions, submissions = SuppressionStore(mail), SubmissionStore(records, results)
    outbox = MailOutbox(mail, digest_interval_seconds=settings.digest_interval_seconds)
    queue = Queue(clients.gateway().messages, settings.mail_queue_url, base_seconds=settings.retry_base_seconds)
    sender = Sender(
        outbox=outbox,
        submissions=submissions,
        reviews=ReviewStore(records),
        withdrawals=WithdrawalStore(records),
        recipients=RecipientResolver(
            benchmarks=BenchmarkStore(results, clock=utc_now),
            suppressions=suppressions,
            players=PlayerStore(access),
            invitations=InvitationStore(access),
            admin_address=settings.admin_address,
        ),
        batches=BatchReader(BatchReportStore(results), submissions, utc_now),
        mails=clients.gateway().mails,
        configuration_set=settings.configuration_set,
        sender_address=settings.sender_address,
        site=settings.site_url.rstrip("/"),
        clock=utc_now,
    )
    return SendDependencies(outbox, sender, suppressions, queue, utc_now)
