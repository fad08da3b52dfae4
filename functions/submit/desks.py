"""Builds, once, what answers: the environment is read here and nowhere else."""

import os
import secrets
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from ledger.access_store import AccessStore
from ledger.audit_trail import AuditTrail
from ledger.aws import dynamodb_client, s3_client
from ledger.benchmark_store import BenchmarkStore
from ledger.drop_reports import DropReportStore
from ledger.drop_store import DropStore
from ledger.marker_store import MarkerStore
from ledger.player_store import PlayerStore
from ledger.quota_store import QuotaStore
from ledger.session_store import SessionStore
from ledger.settings import SubmitSettings
from ledger.snapshot_store import SnapshotStore
from ledger.submission_store import SubmissionStore
from ledger.token_store import TokenStore
from ledger.withdrawals import WithdrawalStore
from submit.callers import Gate
from submit.catalogue import Catalogue
from submit.dres import DresDesk
from submit.failures import FailureDesk
from submit.history import HistoryDesk
from submit.reception import Reception
from submit.rescoring import RescoreDesk
from submit.status import StatusDesk
from submit.uploads import UploadDesk
from submit.withdrawals import WithdrawalDesk


class Desks(NamedTuple):
    """What answers."""

    gate: Gate
    catalogue: Catalogue
    reception: Reception
    status: StatusDesk
    history: HistoryDesk
    withdrawal: WithdrawalDesk
    failures: FailureDesk
    rescore: RescoreDesk
    dres: DresDesk
    uploads: UploadDesk


@cache
def desks() -> Desks:
    """Build what answers."""
    settings = SubmitSettings.read(os.environ)
    dynamodb, s3 = dynamodb_client(), s3_client()
    submissions = SubmissionStore(
        s3=s3, dynamodb=dynamodb, bucket=settings.results_bucket, table=settings.submissions_table
    )
    withdrawals = WithdrawalStore(dynamodb=dynamodb, table=settings.submissions_table)
    trail = AuditTrail(s3=s3, bucket=settings.results_bucket, clock=now, randomness=secrets.token_bytes)
    snapshots = SnapshotStore(s3=s3, bucket=settings.site_bucket)
    players = PlayerStore(dynamodb=dynamodb, table=settings.access_table)
    catalogue = Catalogue(BenchmarkStore(s3=s3, bucket=settings.results_bucket, clock=now))
    gate = Gate(
        tokens=TokenStore(dynamodb=dynamodb, table=settings.access_table),
        players=players,
        clock=now,
        origin_secret=settings.origin_secret,
    )
    quotas = QuotaStore(dynamodb=dynamodb, table=settings.access_table)
    reception = Reception(
        submissions=submissions,
        access=AccessStore(dynamodb=dynamodb, table=settings.access_table),
        quotas=quotas,
        players=players,
        clock=now,
        randomness=secrets.token_bytes,
    )
    status = StatusDesk(submissions, snapshots, withdrawals, now)
    return Desks(
        gate=gate,
        catalogue=catalogue,
        reception=reception,
        status=status,
        uploads=UploadDesk(
            drops=DropStore(s3=s3, bucket=settings.results_bucket, uploads_url=settings.uploads_url),
            reports=DropReportStore(s3=s3, bucket=settings.results_bucket),
            submissions=submissions,
            reception=reception,
            quotas=quotas,
            clock=now,
            randomness=secrets.token_bytes,
        ),
        history=HistoryDesk(submissions, snapshots, withdrawals),
        withdrawal=WithdrawalDesk(submissions, withdrawals, trail, now),
        failures=FailureDesk(submissions),
        rescore=RescoreDesk(MarkerStore(dynamodb=dynamodb, table=settings.access_table), trail, now),
        dres=DresDesk(
            gate=gate,
            sessions=SessionStore(dynamodb=dynamodb, table=settings.access_table),
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
