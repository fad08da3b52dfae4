"""Builds, once, what the routes need; the environment is read here and nowhere else."""

import os
import secrets
from functools import cache

from api.audit.service import AuditService
from api.batches.service import ReportService
from api.benchmarks.archives import ArchiveService
from api.benchmarks.bans import BanService
from api.benchmarks.operations import OperationService
from api.benchmarks.publications import PublicationService
from api.benchmarks.rescores import RescoreService
from api.boards.service import BoardService
from api.players.invitations.mail import InvitationMail
from api.players.invitations.service import InvitationService
from api.players.own_data import OwnDataService, PlayerEraser
from api.players.service import PlayerService
from api.players.tokens import TokenService
from api.submissions.downloads import DownloadService
from api.submissions.grades import GradeService
from api.submissions.histories import HistoryStore
from api.submissions.listing import ListService
from api.submissions.reviews import ReviewService
from api.submissions.service import StatusService
from api.submissions.withdrawals import WithdrawalService
from handlers.http.benchmarks import find_benchmark
from handlers.http.dependencies import HttpServices
from storage.audit import AuditTrail
from storage.batches.reports import BatchReportStore
from storage.batches.uploads import BatchUploadStore
from storage.benchmarks.archives import ArchiveStore
from storage.benchmarks.corrections import CorrectionNoteStore, CorrectionStore
from storage.benchmarks.operations import OperationStore
from storage.benchmarks.publications import PublicationStore
from storage.benchmarks.rescores import PromotionCheck
from storage.boards.played import PlayedWindowStore
from storage.flags import FlagStore
from storage.gateway.clients import dynamodb_client, lambda_client
from storage.gateway.functions import AsyncFunction, SyncFunction
from storage.gateway.table import Table
from storage.keys import utc_now
from storage.mail.outbox import MailOutbox, SuppressionStore
from storage.players.bans import BanStore
from storage.players.invitations import InvitationStore
from storage.players.issuer import TokenIssuer
from storage.settings import ApiSettings
from storage.submissions.decisions import WithdrawalStore
from storage.submissions.index import ResultIndex


class ApiServices(HttpServices):
    """What the routes call; none of it asks AWS before a route does."""

    def __init__(self, settings: ApiSettings) -> None:
        super().__init__(settings)
        mail = Table(dynamodb_client(), settings.mail_table)
        functions, random = lambda_client(), secrets.token_bytes
        self.submit = SyncFunction(functions, settings.submit_function)
        rescoring = AsyncFunction(functions, settings.rescore_function)
        trail = AuditTrail(self._results, clock=utc_now, randomness=random)
        uploads, reports = BatchUploadStore(self._results), BatchReportStore(self._results)
        withdrawals, invitations = WithdrawalStore(self._records.table), InvitationStore(self._access)
        issuer = TokenIssuer(self._players, self.authenticator.tokens)

        self.publications = PublicationService(
            publications=PublicationStore(self._results),
            function=AsyncFunction(functions, settings.publish_function),
            benchmarks=self.benchmarks,
            quotas=self.quotas,
            clock=utc_now,
            randomness=random,
        )
        notes = CorrectionNoteStore(self._access, utc_now)
        flags = FlagStore(self._access)
        promotions = PromotionCheck(
            results=ResultIndex(self._records.table, self._results),
            flags=flags,
            withdrawals=withdrawals,
            reviews=self._reviews,
            clock=utc_now,
        )
        self.rescores = RescoreService(promotions, flags, notes, rescoring, trail, utc_now)
        self.bans = BanService(BanStore(self._access), self._players, rescoring, trail, utc_now)
        self.archives = ArchiveService(
            archives=ArchiveStore(self._access),
            benchmarks=self.benchmarks,
            batches=uploads,
            invitations=invitations,
            rescoring=rescoring,
            trail=trail,
            clock=utc_now,
        )
        self.status = StatusService(
            self.outcomes, self._records, withdrawals, self._reviews, self.quotas, self._players, utc_now
        )
        self.withdrawals = WithdrawalService(uploads, reports, self._records, withdrawals, trail, utc_now)
        histories = HistoryStore(self._records, self._entries)
        self.lists = ListService(
            submissions=self._records,
            histories=histories,
            uploads=uploads,
            reports=reports,
            reviews=self._reviews,
            withdrawals=withdrawals,
            players=self._players,
            standings=self._standings,
        )
        self.reviews = ReviewService(self._records, withdrawals, self._reviews, trail, utc_now)
        self.downloads = DownloadService(
            lists=self.lists,
            submissions=self._records,
            quotas=self.quotas,
            clock=utc_now,
            randomness=random,
        )
        self.reports = ReportService(uploads, reports, self._records, utc_now)
        played = PlayedWindowStore(self._site, self._results)
        self.boards = BoardService(self._reader, played, self._players, utc_now)
        self.players = PlayerService(histories, self._reader, self._standings, withdrawals, self._players)
        corrections = CorrectionStore(self._site)
        self.grades = GradeService(invitations, self._reader, corrections, self._records, withdrawals, self._players)
        self.own_data = OwnDataService(
            submitters=self.submitters,
            players=self._players,
            issuer=issuer,
            invitations=invitations,
            guest_names=self.submitters.guest_names,
            eraser=PlayerEraser(self._players, self.submitters.guest_names, invitations, issuer, withdrawals),
            standings=self.players,
            lists=self.lists,
            boards=self._reader,
            benchmarks=self.benchmarks,
            trail=trail,
            clock=utc_now,
        )
        self.tokens = TokenService(issuer, trail, self.benchmarks, utc_now)
        self.audit = AuditService(trail)
        self.operations = OperationService(
            trail=trail,
            benchmarks=self.benchmarks,
            operations=OperationStore(self._results),
            rescoring=rescoring,
            sweeping=AsyncFunction(functions, settings.sweep_function),
            clock=utc_now,
            randomness=random,
        )
        self.invitations = InvitationService(
            invitations=invitations,
            issuer=issuer,
            mail=InvitationMail(MailOutbox(mail), SuppressionStore(mail)),
            quotas=self.quotas,
            submitters=self.submitters,
            find_definition=lambda benchmark: find_benchmark(self.benchmarks, benchmark).definition,
            trail=trail,
            clock=utc_now,
            randomness=random,
        )


@cache
def services() -> ApiServices:
    """Return the services of the API."""
    return ApiServices(ApiSettings.read(os.environ))
