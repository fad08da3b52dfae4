"""Builds, once, what the handlers need; the environment is read here and nowhere else."""
# ruff: noqa: PLC0415  # each builder imports its own parts: a POST starts without the rest, a batch without all of it

import os
import secrets
from contextlib import suppress
from functools import cache, cached_property
from typing import TYPE_CHECKING

from handlers.http.dependencies import HttpServices
from storage.benchmarks.terms import TermsStore
from storage.gateway.bucket import Bucket
from storage.gateway.clients import dynamodb_client, s3_client, sqs_client
from storage.gateway.table import Table
from storage.keys import utc_now
from storage.players.players import PlayerStore
from storage.players.quotas import QuotaStore
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
    from submit.batch_import.importer import BatchImporter
    from submit.dres.service import DresService
    from submit.submissions import SubmissionService
    from submit.uploads import UploadService


class SubmitServices(HttpServices):
    """What the routes call."""

    def __init__(self, settings: SubmitSettings) -> None:
        super().__init__(settings)
        self.submit_benchmark = settings.submit_benchmark
        self.terms = TermsStore(self.results, clock=utc_now)

    @cached_property
    def submissions(self) -> "SubmissionService":
        """Accepts results."""
        from storage.submissions.idempotency import IdempotencyStore
        from storage.submissions.labels import LabelStore
        from storage.submissions.run_tickets import RunTicketStore
        from submit.runs import RunTicketService, TicketSigner
        from submit.submissions import SubmissionService

        return SubmissionService(
            submissions=self.records,
            idempotency=IdempotencyStore(self.access),
            quotas=self.quotas,
            labels=LabelStore(self.access),
            submitters=self.submitters,
            tickets=RunTicketService(TicketSigner.derive(self._origin_secret), RunTicketStore(self.access)),
            clock=utc_now,
            randomness=secrets.token_bytes,
        )

    @cached_property
    def uploads(self) -> "UploadService":
        """Serves players who upload files."""
        from storage.batches.uploads import BatchUploadStore
        from submit.uploads import UploadService

        return UploadService(
            uploads=BatchUploadStore(self.results),
            quotas=self.quotas,
            clock=utc_now,
            randomness=secrets.token_bytes,
        )

    @cached_property
    def dres(self) -> "DresService":
        """Serves clients of DRES."""
        from storage.players.tokens import SessionStore
        from submit.dres.service import DresService

        return DresService(
            authenticator=self.authenticator,
            sessions=SessionStore(self.access),
            benchmarks=self.benchmarks,
            submissions=self.submissions,
            outcomes=self.outcomes,
            clock=utc_now,
            randomness=secrets.token_bytes,
        )


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
            _ = services().authenticator, services().submissions


@cache
def batch_importer() -> "BatchImporter":
    """Return what imports batches, and records those that failed."""
    from storage.batches.idempotency import BatchIdempotencyStore
    from storage.batches.reports import BatchReportStore
    from storage.batches.uploads import BatchUploadStore
    from storage.benchmarks.store import BenchmarkStore
    from storage.mail.outbox import MailOutbox
    from storage.submissions.labels import LabelStore
    from submit.batch_import.importer import BatchImporter

    settings = BatchImportSettings.read(os.environ)
    dynamodb, results = dynamodb_client(), Bucket(s3_client(), settings.results_bucket)
    access = Table(dynamodb, settings.access_table)
    return BatchImporter(
        uploads=BatchUploadStore(results),
        reports=BatchReportStore(results),
        idempotency=BatchIdempotencyStore(access, utc_now),
        benchmarks=BenchmarkStore(results, clock=utc_now),
        players=PlayerStore(access),
        quotas=QuotaStore(access),
        labels=LabelStore(access),
        submissions=SubmissionStore(Table(dynamodb, settings.submissions_table), results),
        mail=MailOutbox(Table(dynamodb, settings.mail_table)),
        clock=utc_now,
    )


@cache
def batch_dependencies() -> "tuple[BatchImporter, Queue]":
    """Return the importer of batches, and the queue that retries them."""
    from storage.gateway.queue import Queue

    settings = BatchSettings.read(os.environ)
    queue = Queue(sqs_client(), settings.drop_queue_url, base_seconds=settings.retry_base_seconds)
    return batch_importer(), queue


@cache
def batch_dead_letter_queue() -> "Queue":
    """Return the queue of the batches whose retries are exhausted."""
    from storage.gateway.queue import Queue

    return Queue(sqs_client(), BatchDeadLetterSettings.read(os.environ).drop_dead_letter_queue_url)
