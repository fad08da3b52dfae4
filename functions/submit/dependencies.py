"""Builds, once, what the handlers need; the environment is read here and nowhere else."""
# ruff: noqa: PLC0415  # each builder imports its own parts: the batch functions start without the API

import os
import secrets
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from storage.access.players import PlayerStore
from storage.access.quotas import QuotaStore
from storage.aws.bucket import Bucket
from storage.aws.clients import dynamodb_client, s3_client, sqs_client
from storage.aws.queue import Queue
from storage.aws.table import Table
from storage.batches.reports import BatchReportStore
from storage.batches.uploads import BatchUploadStore
from storage.benchmarks.store import BenchmarkStore
from storage.ids import utc_now
from storage.settings import BatchDeadLetterSettings, BatchSettings, SubmitSettings
from storage.submissions.store import SubmissionStore

if TYPE_CHECKING:
    from submit.auth import Authenticator
    from submit.batch_import.importer import BatchImporter
    from submit.dres.service import DresService
    from submit.services.batches import BatchService
    from submit.services.owners import OwnerService
    from submit.services.status import StatusService
    from submit.services.submissions import SubmissionService


class Services(NamedTuple):
    """What the routes call."""

    authenticator: "Authenticator"
    benchmarks: BenchmarkStore
    submissions: "SubmissionService"
    status: "StatusService"
    batches: "BatchService"
    owners: "OwnerService"
    dres: "DresService"


@cache
def services() -> Services:
    """Return the services of the API."""
    from storage.access.flags import FlagStore
    from storage.access.idempotency import IdempotencyStore
    from storage.access.tokens import SessionStore, TokenStore
    from storage.audit import AuditTrail
    from storage.boards.snapshots import SnapshotStore
    from storage.submissions.withdrawals import WithdrawalStore
    from submit.auth import Authenticator
    from submit.dres.service import DresService
    from submit.services.batches import BatchService
    from submit.services.owners import OwnerService
    from submit.services.status import StatusService
    from submit.services.submissions import SubmissionService

    settings = SubmitSettings.read(os.environ)
    dynamodb, s3 = dynamodb_client(), s3_client()
    access, items = Table(dynamodb, settings.access_table), Table(dynamodb, settings.submissions_table)
    results, site = Bucket(s3, settings.results_bucket), Bucket(s3, settings.site_bucket)
    records, withdrawals = SubmissionStore(items, results), WithdrawalStore(items)
    players, quotas, benchmarks = PlayerStore(access), QuotaStore(access), BenchmarkStore(results, clock=utc_now)
    authenticator = Authenticator(TokenStore(access), players, utc_now, settings.origin_secret)
    submissions = SubmissionService(
        submissions=records,
        idempotency=IdempotencyStore(access),
        quotas=quotas,
        players=players,
        clock=utc_now,
        randomness=secrets.token_bytes,
    )
    status = StatusService(records, SnapshotStore(site), withdrawals, utc_now)
    return Services(
        authenticator=authenticator,
        benchmarks=benchmarks,
        submissions=submissions,
        status=status,
        batches=BatchService(
            uploads=BatchUploadStore(results, uploads_url=settings.uploads_url),
            reports=BatchReportStore(results),
            records=records,
            submissions=submissions,
            quotas=quotas,
            clock=utc_now,
            randomness=secrets.token_bytes,
        ),
        owners=OwnerService(
            submissions=records,
            withdrawals=withdrawals,
            flags=FlagStore(access),
            trail=AuditTrail(results, clock=utc_now, randomness=secrets.token_bytes),
            clock=utc_now,
        ),
        dres=DresService(
            authenticator=authenticator,
            sessions=SessionStore(access),
            benchmarks=benchmarks,
            submissions=submissions,
            status=status,
            clock=utc_now,
            randomness=secrets.token_bytes,
        ),
    )


@cache
def batch_importer() -> "BatchImporter":
    """Return what imports batches, and records those that failed."""
    from storage.mail.outbox import MailOutbox
    from submit.batch_import.importer import BatchImporter

    settings = BatchDeadLetterSettings.read(os.environ)
    dynamodb, results = dynamodb_client(), Bucket(s3_client(), settings.results_bucket)
    access = Table(dynamodb, settings.access_table)
    return BatchImporter(
        uploads=BatchUploadStore(results),
        reports=BatchReportStore(results),
        benchmarks=BenchmarkStore(results, clock=utc_now),
        players=PlayerStore(access),
        quotas=QuotaStore(access),
        submissions=SubmissionStore(Table(dynamodb, settings.submissions_table), results),
        mail=MailOutbox(Table(dynamodb, settings.mail_table)),
        clock=utc_now,
    )


@cache
def batch_dependencies() -> "tuple[BatchImporter, Queue]":
    """Return the importer of batches, and the queue that retries them."""
    settings = BatchSettings.read(os.environ)
    queue = Queue(sqs_client(), settings.drop_queue_url, base_seconds=settings.retry_base_seconds)
    return batch_importer(), queue
