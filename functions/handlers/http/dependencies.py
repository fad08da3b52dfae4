"""Builds, once, what the handlers need; the environment is read here and nowhere else."""
# ruff: noqa: PLC0415  # each builder imports its own parts: a POST starts without the rest of the API, a batch without all of it

import os
import secrets
from contextlib import suppress
from functools import cache, cached_property
from typing import TYPE_CHECKING

from storage.access.players import PlayerStore
from storage.access.quotas import QuotaStore
from storage.aws.bucket import Bucket
from storage.aws.clients import dynamodb_client, s3_client, sqs_client
from storage.aws.table import Table
from storage.benchmarks.terms import TermsStore
from storage.ids import utc_now
from storage.settings import (
    BatchDeadLetterSettings,
    BatchImportSettings,
    BatchSettings,
    InvalidSettings,
    SubmitSettings,
)
from storage.submissions.store import SubmissionStore

if TYPE_CHECKING:
    from api.batches.service import ReportService
    from api.benchmarks.archives import ArchiveService
    from api.benchmarks.bans import BanService
    from api.benchmarks.publications import PublicationService
    from api.boards.service import BoardService
    from api.operators.service import OperatorService
    from api.players.invitations.service import InvitationService
    from api.players.own_data import OwnDataService
    from api.submissions.downloads import DownloadService
    from api.submissions.owners import OwnerService
    from api.submissions.reviews import ReviewService
    from api.submissions.withdrawals import WithdrawalService
    from handlers.http.auth import Authenticator
    from handlers.http.outcomes import StatusService
    from handlers.http.submitters import SubmitterService
    from storage.access.joining.invitations import InvitationStore
    from storage.access.joining.issuer import TokenIssuer
    from storage.audit import AuditTrail
    from storage.aws.functions import AsyncFunction
    from storage.aws.queue import Queue
    from storage.benchmarks.store import BenchmarkStore
    from storage.boards.reading import BoardReader
    from storage.submissions.reviews import ReviewStore
    from storage.submissions.withdrawals import WithdrawalStore
    from submit.batch_import.importer import BatchImporter
    from submit.dres.service import DresService
    from submit.submissions import SubmissionService
    from submit.uploads import BatchService


class Services:
    """What the routes call; each service is imported and built when it is first used."""

    def __init__(self, settings: SubmitSettings) -> None:
        dynamodb, s3 = dynamodb_client(), s3_client()
        self._settings = settings
        self._access = Table(dynamodb, settings.access_table)
        self._results, self._site = Bucket(s3, settings.results_bucket), Bucket(s3, settings.site_bucket)
        self._boards = Table(dynamodb, settings.boards_table)
        self._mail = Table(dynamodb, settings.mail_table)
        self._records = SubmissionStore(Table(dynamodb, settings.submissions_table), self._results)
        self._quotas, self._players = QuotaStore(self._access), PlayerStore(self._access)
        self.submit_benchmark = settings.submit_benchmark
        self.terms = TermsStore(self._results, clock=utc_now)

    @cached_property
    def authenticator(self) -> "Authenticator":
        """Identifies callers."""
        from handlers.http.auth import Authenticator
        from storage.access.owners import OwnerStore
        from storage.access.tokens import TokenStore

        tokens, owners = TokenStore(self._access), OwnerStore(self._access)
        return Authenticator(
            tokens,
            self._players,
            owners,
            utc_now,
            self._settings.origin_secret,
            self._submitters.holds_key,
        )

    @cached_property
    def _guest_secret(self) -> bytes:
        """What guests' ids are derived with, read once a process."""
        from storage.access.guest_names import GuestNameStore

        return GuestNameStore(self._access).keep_secret(secrets.token_bytes(32))

    @cached_property
    def _submitters(self) -> "SubmitterService":
        """Tells who a guest is."""
        from handlers.http.submitters import SubmitterService
        from storage.access.guest_names import GuestNameStore

        return SubmitterService(self._players, GuestNameStore(self._access), lambda: self._guest_secret)

    @cached_property
    def submissions(self) -> "SubmissionService":
        """Accepts results."""
        from storage.access.idempotency import IdempotencyStore
        from storage.access.labels import LabelStore
        from storage.access.run_tickets import RunTicketStore
        from submit.runs.service import RunTicketService
        from submit.runs.tickets import TicketSigner
        from submit.submissions import SubmissionService

        return SubmissionService(
            submissions=self._records,
            idempotency=IdempotencyStore(self._access),
            quotas=self._quotas,
            labels=LabelStore(self._access),
            submitters=self._submitters,
            tickets=RunTicketService(TicketSigner.derive(self._settings.origin_secret), RunTicketStore(self._access)),
            clock=utc_now,
            randomness=secrets.token_bytes,
        )

    @cached_property
    def benchmarks(self) -> "BenchmarkStore":
        """Reads what is published."""
        from storage.benchmarks.store import BenchmarkStore

        return BenchmarkStore(self._results, clock=utc_now)

    @cached_property
    def status(self) -> "StatusService":
        """Answers what became of submissions."""
        from api.players.histories import HistoryStore
        from handlers.http.outcomes import StatusService
        from handlers.http.progress import ProgressService
        from storage.batches.reports import BatchReportStore
        from storage.boards.entries import BoardEntryStore
        from storage.boards.standings import StandingStore

        entries, standings = BoardEntryStore(self._boards), StandingStore(self._boards)
        return StatusService(
            self._records,
            HistoryStore(self._records, entries, BatchReportStore(self._results)),
            self._reader,
            standings,
            self._withdrawals,
            self._reviews,
            self.benchmarks,
            ProgressService(self.benchmarks, self._reader, standings, entries),
            self._quotas,
            self._players,
            utc_now,
        )

    @cached_property
    def boards(self) -> "BoardService":
        """Answers what boards show."""
        from api.boards.service import BoardService
        from storage.boards.played import PlayedWindowStore

        played = PlayedWindowStore(self._site, self._results)
        return BoardService(self._reader, played, self._players, utc_now)

    @cached_property
    def batches(self) -> "BatchService":
        """Serves players who upload files."""
        from storage.batches.uploads import BatchUploadStore
        from submit.uploads import BatchService

        return BatchService(
            uploads=BatchUploadStore(self._results),
            submissions=self.submissions,
            quotas=self._quotas,
            clock=utc_now,
            randomness=secrets.token_bytes,
        )

    @cached_property
    def reports(self) -> "ReportService":
        """Reports what became of batches."""
        from api.batches.service import ReportService
        from storage.batches.reports import BatchReportStore
        from storage.batches.uploads import BatchUploadStore

        return ReportService(
            uploads=BatchUploadStore(self._results),
            reports=BatchReportStore(self._results),
            records=self._records,
            clock=utc_now,
        )

    @cached_property
    def withdrawals(self) -> "WithdrawalService":
        """Withdraws batches, and undoes withdrawals."""
        from api.submissions.withdrawals import WithdrawalService
        from storage.batches.reports import BatchReportStore
        from storage.batches.uploads import BatchUploadStore

        return WithdrawalService(
            uploads=BatchUploadStore(self._results),
            reports=BatchReportStore(self._results),
            submissions=self._records,
            withdrawals=self._withdrawals,
            trail=self._trail,
            clock=utc_now,
        )

    @cached_property
    def owners(self) -> "OwnerService":
        """Serves the owners of benchmarks."""
        from api.submissions.owners import OwnerService
        from storage.access.flags import FlagStore
        from storage.benchmarks.corrections import CorrectionNoteStore

        return OwnerService(
            submissions=self._records,
            withdrawals=self._withdrawals,
            flags=FlagStore(self._access),
            notes=CorrectionNoteStore(self._access, utc_now),
            rescoring=self._rescoring,
            players=self._players,
            trail=self._trail,
            clock=utc_now,
        )

    @cached_property
    def downloads(self) -> "DownloadService":
        """Writes files of submissions."""
        from api.submissions.downloads import DownloadService

        return DownloadService(
            submissions=self._records,
            withdrawals=self._withdrawals,
            reviews=self._reviews,
            quotas=self._quotas,
            players=self._players,
            clock=utc_now,
            randomness=secrets.token_bytes,
        )

    @cached_property
    def reviews(self) -> "ReviewService":
        """Serves the owners of what is in review."""
        from api.submissions.reviews import ReviewService

        return ReviewService(
            submissions=self._records,
            withdrawals=self._withdrawals,
            reviews=self._reviews,
            players=self._players,
            trail=self._trail,
            clock=utc_now,
        )

    @cached_property
    def publications(self) -> "PublicationService":
        """Publishes what owners upload."""
        from api.benchmarks.publications import PublicationService
        from storage.benchmarks.publications import PublicationStore

        return PublicationService(
            publications=PublicationStore(self._results),
            function=self._async_function(self._settings.publish_function),
            benchmarks=self.benchmarks,
            quotas=self._quotas,
            clock=utc_now,
            randomness=secrets.token_bytes,
        )

    @cached_property
    def bans(self) -> "BanService":
        """Serves the owners who ban players."""
        from api.benchmarks.bans import BanService
        from storage.access.bans import BanStore

        return BanService(BanStore(self._access), self._players, self._rescoring, self._trail, utc_now)

    @cached_property
    def archives(self) -> "ArchiveService":
        """Serves the owners who archive a benchmark."""
        from api.benchmarks.archives import ArchiveService
        from storage.access.archives import ArchiveStore
        from storage.batches.uploads import BatchUploadStore

        return ArchiveService(
            archives=ArchiveStore(self._access),
            benchmarks=self.benchmarks,
            batches=BatchUploadStore(self._results),
            invitations=self._invitations,
            rescoring=self._rescoring,
            trail=self._trail,
            clock=utc_now,
        )

    @cached_property
    def _issuer(self) -> "TokenIssuer":
        from storage.access.joining.issuer import TokenIssuer

        return TokenIssuer(self._players, self.authenticator.tokens)

    @cached_property
    def _invitations(self) -> "InvitationStore":
        from storage.access.joining.invitations import InvitationStore

        return InvitationStore(self._access)

    @cached_property
    def invitations(self) -> "InvitationService":
        """Serves who invites and who comes."""
        from api.players.invitations.codes import WrongCodes
        from api.players.invitations.mail import InvitationMail
        from api.players.invitations.service import InvitationService
        from handlers.http.benchmarks import find_benchmark
        from storage.mail.outbox import MailOutbox, SuppressionStore

        return InvitationService(
            invitations=self._invitations,
            issuer=self._issuer,
            mail=InvitationMail(MailOutbox(self._mail), SuppressionStore(self._mail)),
            quotas=self._quotas,
            wrong_codes=WrongCodes(self._quotas, utc_now),
            submitters=self.submissions.submitters,
            find_definition=lambda benchmark: find_benchmark(self.benchmarks, benchmark).definition,
            trail=self._trail,
            clock=utc_now,
            randomness=secrets.token_bytes,
        )

    @cached_property
    def own_data(self) -> "OwnDataService":
        """Exports and erases players, and shows them over all benchmarks."""
        from api.players.own_data import OwnDataService

        submitters = self.submissions.submitters
        return OwnDataService(
            submitters=submitters,
            players=self._players,
            issuer=self._issuer,
            invitations=self._invitations,
            guest_names=submitters.guest_names,
            status=self.status,
            boards=self._reader,
            benchmarks=self.benchmarks,
            withdrawals=self._withdrawals,
            trail=self._trail,
            clock=utc_now,
        )

    @cached_property
    def dres(self) -> "DresService":
        """Serves clients of DRES."""
        from storage.access.tokens import SessionStore
        from submit.dres.service import DresService

        return DresService(
            authenticator=self.authenticator,
            sessions=SessionStore(self._access),
            benchmarks=self.benchmarks,
            submissions=self.submissions,
            status=self.status,
            clock=utc_now,
            randomness=secrets.token_bytes,
        )

    @cached_property
    def operators(self) -> "OperatorService":
        """Serves administrators."""
        from api.operators.service import OperatorService
        from storage.benchmarks.operations import OperationStore

        return OperatorService(
            issuer=self._issuer,
            trail=self._trail,
            benchmarks=self.benchmarks,
            operations=OperationStore(self._results, utc_now),
            rescoring=self._rescoring(),
            sweeping=self._async_function(self._settings.sweep_function),
            clock=utc_now,
            randomness=secrets.token_bytes,
        )

    @cached_property
    def _reader(self) -> "BoardReader":
        from storage.boards.reading import BoardReader, SiteFiles

        return BoardReader(SiteFiles(self._site))

    def _rescoring(self) -> "AsyncFunction":
        return self._async_function(self._settings.rescore_function)

    def _async_function(self, name: str) -> "AsyncFunction":
        from storage.aws.clients import lambda_client
        from storage.aws.functions import AsyncFunction

        return AsyncFunction(lambda_client(), name)

    @cached_property
    def _withdrawals(self) -> "WithdrawalStore":
        from storage.submissions.withdrawals import WithdrawalStore

        return WithdrawalStore(self._records.table)

    @cached_property
    def _reviews(self) -> "ReviewStore":
        from storage.submissions.reviews import ReviewStore

        return ReviewStore(self._records.table)

    @cached_property
    def _trail(self) -> "AuditTrail":
        from storage.audit import AuditTrail

        return AuditTrail(self._results, clock=utc_now, randomness=secrets.token_bytes)


@cache
def services() -> Services:
    """Return the services of the API."""
    return Services(SubmitSettings.read(os.environ))


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
    from storage.access.labels import LabelStore
    from storage.batches.idempotency import BatchIdempotencyStore
    from storage.batches.reports import BatchReportStore
    from storage.batches.uploads import BatchUploadStore
    from storage.benchmarks.store import BenchmarkStore
    from storage.mail.outbox import MailOutbox
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
    from storage.aws.queue import Queue

    settings = BatchSettings.read(os.environ)
    queue = Queue(sqs_client(), settings.drop_queue_url, base_seconds=settings.retry_base_seconds)
    return batch_importer(), queue


@cache
def batch_dead_letter_queue() -> "Queue":
    """Return the queue of the batches whose retries are exhausted."""
    from storage.aws.queue import Queue

    return Queue(sqs_client(), BatchDeadLetterSettings.read(os.environ).drop_dead_letter_queue_url)
