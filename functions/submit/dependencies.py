"""Builds, once, what the handlers need; the environment is read here and nowhere else."""
# ruff: noqa: PLC0415  # each builder imports its own parts: a POST starts without the rest, a batch without all of it

import os
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from handlers.http.dependencies import HttpServices
from storage.benchmarks.terms import TermsStore
from storage.gateway import clients
from storage.gateway.bucket import Bucket
from storage.gateway.table import Table
from storage.keys import Clock, utc_now
from storage.players.players import PlayerStore
from storage.players.quotas import QuotaStore
from storage.players.tokens import SessionStore
from storage.settings import (
    BatchDeadLetterSettings,
    BatchImportSettings,
    BatchSettings,
    InvalidSettings,
    SubmitSettings,
)
from storage.submissions.store import SubmissionStore

if TYPE_CHECKING:
    from storage.gateway.queue import Queue


class SubmitServices(HttpServices):
    """What the routes' functions are given."""

    def __init__(self, settings: SubmitSettings) -> None:
        from storage.submissions.idempotency import IdempotencyStore, RunTicketStore
        from storage.submissions.labels import LabelStore
        from submit.runs import TicketSigner

        super().__init__(settings)
        self.submit_benchmark = settings.submit_benchmark
        self.terms = TermsStore(self.results, clock=utc_now)
        self.sessions = SessionStore(self.access)
        self.idempotency, self.labels = IdempotencyStore(self.access), LabelStore(self.access)
        self.signer, self.run_tickets = TicketSigner.derive(settings.origin_secret), RunTicketStore(self.access)


@cache
def services() -> SubmitServices:
    """Return the services of what takes results."""
    return SubmitServices(SubmitSettings.read(os.environ))


def prepare_post() -> None:
    """Build what a POST needs, if Lambda is initialising the function.

    There it has a whole processor, and during the first request only the part that its memory size pays for.
    """
    if "AWS_LAMBDA_INITIALIZATION_TYPE" in os.environ:
        with suppress(InvalidSettings):  # every request reports it
            services()


class BatchServices:
    """What imports batches, and records those that failed."""

    def __init__(self, settings: BatchImportSettings) -> None:
        from storage.batches.idempotency import BatchIdempotencyStore
        from storage.batches.reports import BatchReportStore
        from storage.batches.uploads import BatchUploadStore
        from storage.benchmarks.store import BenchmarkStore
        from storage.mail.outbox import MailOutbox
        from storage.submissions.labels import LabelStore

        dynamodb, results = clients.gateway().tables, Bucket(clients.gateway().objects, settings.results_bucket)
        access = Table(dynamodb, settings.access_table)
        self.uploads, self.reports = BatchUploadStore(results), BatchReportStore(results)
        self.idempotency = BatchIdempotencyStore(access, utc_now)
        self.benchmarks = BenchmarkStore(results, clock=utc_now)
        self.players, self.quotas, self.labels = PlayerStore(access), QuotaStore(access), LabelStore(access)
        self.records = SubmissionStore(Table(dynamodb, settings.submissions_table), results)
        self.mail = MailOutbox(Table(dynamodb, settings.mail_table))
        self.clock: Clock = utc_now


@cache
def batch_services() -> BatchServices:
    """Return what imports batches, and records those that failed."""
    return BatchServices(BatchImportSettings.read(os.environ))


@cache
def batch_queue() -> "Queue":
    """Return the queue that retries batches."""
    from storage.gateway.queue import Queue

    settings = BatchSettings.read(os.environ)
    return Queue(clients.gateway().messages, settings.drop_queue_url, base_seconds=settings.retry_base_seconds)


@cache
def batch_dead_letter_queue() -> "Queue":
    """Return the queue of the batches whose retries are exhausted."""
    from storage.gateway.queue import Queue

    return Queue(clients.gateway().messages, BatchDeadLetterSettings.read(os.environ).drop_dead_letter_queue_url)
