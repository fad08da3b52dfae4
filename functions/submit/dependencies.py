"""Builds, once, what answers: the environment is read here and nowhere else."""

import os
import secrets
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from storage.access.flags import FlagStore
from storage.access.idempotency import IdempotencyStore
from storage.access.players import PlayerStore
from storage.access.quotas import QuotaStore
from storage.access.sessions import SessionStore
from storage.access.tokens import TokenStore
from storage.audit import AuditTrail
from storage.aws.bucket import Bucket
from storage.aws.clients import dynamodb_client, s3_client
from storage.aws.table import Table
from storage.batches.reports import BatchReportStore
from storage.batches.uploads import BatchUploadStore
from storage.benchmarks.store import BenchmarkStore
from storage.boards.snapshots import SnapshotStore
from storage.settings import SubmitSettings
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import WithdrawalStore
from submit.auth import Authenticator
from submit.dres.service import DresService
from submit.services.batches import BatchService
from submit.services.catalogue import Catalogue
from submit.services.errors import ErrorService
from submit.services.history import HistoryService
from submit.services.rescores import RescoreService
from submit.services.status import StatusService
from submit.services.submissions import SubmissionService
from submit.services.withdrawals import WithdrawalService


class Services(NamedTuple):
    """What answers."""

    gate: Authenticator
    catalogue: Catalogue
    reception: SubmissionService
    status: StatusService
    history: HistoryService
    withdrawal: WithdrawalService
    failures: ErrorService
    rescore: RescoreService
    dres: DresService
    uploads: BatchService


@cache
def services() -> Services:
    """Build what answers."""
    settings = SubmitSettings.read(os.environ)
    dynamodb, s3 = dynamodb_client(), s3_client()
    submissions = SubmissionStore(Table(dynamodb, settings.submissions_table), Bucket(s3, settings.results_bucket))
    withdrawals = WithdrawalStore(Table(dynamodb, settings.submissions_table))
    trail = AuditTrail(Bucket(s3, settings.results_bucket), clock=now, randomness=secrets.token_bytes)
    snapshots = SnapshotStore(Bucket(s3, settings.site_bucket))
    players = PlayerStore(Table(dynamodb, settings.access_table))
    catalogue = Catalogue(BenchmarkStore(Bucket(s3, settings.results_bucket), clock=now))
    gate = Authenticator(
        tokens=TokenStore(Table(dynamodb, settings.access_table)),
        players=players,
        clock=now,
        origin_secret=settings.origin_secret,
    )
    quotas = QuotaStore(Table(dynamodb, settings.access_table))
    reception = SubmissionService(
        submissions=submissions,
        access=IdempotencyStore(Table(dynamodb, settings.access_table)),
        quotas=quotas,
        players=players,
        clock=now,
        randomness=secrets.token_bytes,
    )
    status = StatusService(submissions, snapshots, withdrawals, now)
    return Services(
        gate=gate,
        catalogue=catalogue,
        reception=reception,
        status=status,
        uploads=BatchService(
            drops=BatchUploadStore(Bucket(s3, settings.results_bucket), uploads_url=settings.uploads_url),
            reports=BatchReportStore(Bucket(s3, settings.results_bucket)),
            submissions=submissions,
            reception=reception,
            quotas=quotas,
            clock=now,
            randomness=secrets.token_bytes,
        ),
        history=HistoryService(submissions, snapshots, withdrawals),
        withdrawal=WithdrawalService(submissions, withdrawals, trail, now),
        failures=ErrorService(submissions),
        rescore=RescoreService(FlagStore(Table(dynamodb, settings.access_table)), trail, now),
        dres=DresService(
            gate=gate,
            sessions=SessionStore(Table(dynamodb, settings.access_table)),
            catalogue=catalogue,
            reception=reception,
            status=status,
            clock=now,
            randomness=secrets.token_bytes,
        ),
    )


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)
