"""Builds, once, what the routes need, from the environment, and reads what a route is asked."""

import os
from functools import cache

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler.api_gateway import BaseRouter
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from handlers.http import auth, requests
from handlers.http.auth import Caller
from handlers.http.benchmarks import find_benchmark
from handlers.http.dependencies import HttpServices
from handlers.http.submitters import SubmitterRequest
from storage.audit import AuditTrail
from storage.batches.reports import BatchReportStore
from storage.batches.uploads import BatchUploadStore
from storage.benchmarks.archives import ArchiveStore
from storage.benchmarks.corrections import CorrectionNoteStore, CorrectionStore
from storage.benchmarks.operations import OperationStore
from storage.benchmarks.publications import PublicationStore
from storage.benchmarks.rescores import PromotionCheck
from storage.benchmarks.store import PublishedBenchmark
from storage.flags import FlagStore
from storage.gateway import clients
from storage.gateway.functions import LambdaFunction
from storage.gateway.table import Table
from storage.keys import utc_now
from storage.mail.outbox import MailOutbox, SuppressionStore
from storage.players.bans import BanStore
from storage.players.invitations import InvitationStore
from storage.players.issuer import TokenIssuer
from storage.settings import ApiSettings
from storage.submissions.decisions import WithdrawalStore
from storage.submissions.index import ResultIndex
from storage.submissions.models import PlayerKind
from storage.submissions.work import WorkStore

logger = Logger(child=True)


def make_router() -> APIGatewayHttpRouter:
    """Return a router for the routes of a module."""
    return APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


class ApiServices(HttpServices):
    """What the routes' functions are given; none of it asks AWS before a route does.

    `rescoring` brings what owners change to submissions, lists and boards; each change begins it.
    """

    def __init__(self, settings: ApiSettings) -> None:
        super().__init__(settings)
        functions, mail = clients.gateway().functions, Table(clients.gateway().tables, settings.mail_table)
        self.submit = LambdaFunction(functions, settings.submit_function)
        self.publishing = LambdaFunction(functions, settings.publish_function)
        self.rescoring = LambdaFunction(functions, settings.rescore_function)
        self.sweeping = LambdaFunction(functions, settings.sweep_function)
        self.trail = AuditTrail(self.results, clock=utc_now, randomness=self.randomness)
        self.uploads, self.reports = BatchUploadStore(self.results), BatchReportStore(self.results)
        self.publications, self.operations = PublicationStore(self.results), OperationStore(self.results)
        self.notes, self.corrections = CorrectionNoteStore(self.access, utc_now), CorrectionStore(self.site)
        self.archives, self.bans, self.flags = ArchiveStore(self.access), BanStore(self.access), FlagStore(self.access)
        self.withdrawals, self.invitations = WithdrawalStore(self.records.table), InvitationStore(self.access)
        self.issuer = TokenIssuer(self.players, self.tokens)
        self.outbox, self.suppressions = MailOutbox(mail), SuppressionStore(mail)
        self.work = WorkStore(self._boards, self.results)
        self.promotions = PromotionCheck(
            results=ResultIndex(self.records.table, self.results),
            flags=self.flags,
            withdrawals=self.withdrawals,
            reviews=self.reviews,
            clock=utc_now,
        )


@cache
def services() -> ApiServices:
    """Return the services of the API."""
    return ApiServices(ApiSettings.read(os.environ))


def read_headers() -> dict[str, str]:
    """Return the headers, their names in lower case."""
    return requests.read_headers(BaseRouter.current_event.raw_event)


def identify() -> Caller:
    """Return who sends the request. Raises Problem 401."""
    return auth.identify(services(), read_headers())


def read_submitter(player: str | None, kind: PlayerKind | None) -> SubmitterRequest:
    """Return who sends the request, and whom it names. Raises Problem 401."""
    return SubmitterRequest(caller=identify(), headers=read_headers(), player=player, kind=kind)


def find_published(benchmark: str) -> PublishedBenchmark:
    """Return a benchmark as it is published now. Raises Problem 404."""
    return find_benchmark(services().benchmarks, benchmark)
