"""Builds, once, what both functions behind the HTTP API need."""
# ruff: noqa: PLC0415  # each builder imports its own parts: the POST of a result starts without the rest

import secrets
from functools import cached_property
from typing import TYPE_CHECKING

from storage.gateway.bucket import Bucket
from storage.gateway.clients import dynamodb_client, s3_client
from storage.gateway.table import Table
from storage.keys import utc_now
from storage.players.players import PlayerStore
from storage.players.quotas import QuotaStore
from storage.settings import HttpSettings
from storage.submissions.store import SubmissionStore

if TYPE_CHECKING:
    from handlers.http.auth import Authenticator
    from handlers.http.outcomes import OutcomeService
    from handlers.http.submitters import SubmitterService
    from storage.benchmarks.store import BenchmarkStore
    from storage.boards.entries import BoardEntryStore
    from storage.boards.reading import BoardReader
    from storage.boards.standings import StandingStore
    from storage.submissions.decisions import ReviewStore


class HttpServices:
    """What the routes of both functions call; each service is imported and built when it is first used."""

    def __init__(self, settings: HttpSettings) -> None:
        dynamodb, s3 = dynamodb_client(), s3_client()
        self._origin_secret = settings.origin_secret
        self._access, self._boards = Table(dynamodb, settings.access_table), Table(dynamodb, settings.boards_table)
        self._results, self._site = Bucket(s3, settings.results_bucket), Bucket(s3, settings.site_bucket)
        self._records = SubmissionStore(Table(dynamodb, settings.submissions_table), self._results)
        self.quotas, self._players = QuotaStore(self._access), PlayerStore(self._access)

    @cached_property
    def authenticator(self) -> "Authenticator":
        """Identifies callers."""
        from handlers.http.auth import Authenticator
        from storage.benchmarks.owners import OwnerStore
        from storage.players.tokens import TokenStore

        tokens, owners = TokenStore(self._access), OwnerStore(self._access)
        holds_key = self.submitters.holds_key
        return Authenticator(tokens, self._players, owners, utc_now, self._origin_secret, holds_key)

    @cached_property
    def submitters(self) -> "SubmitterService":
        """Tells who a guest is."""
        from handlers.http.submitters import SubmitterService
        from storage.players.players import GuestNameStore

        return SubmitterService(self._players, GuestNameStore(self._access), lambda: self._guest_secret)

    @cached_property
    def _guest_secret(self) -> bytes:
        """What guests' ids are derived with, read once a process."""
        return self.submitters.guest_names.keep_secret(secrets.token_bytes(32))

    @cached_property
    def benchmarks(self) -> "BenchmarkStore":
        """Reads what is published."""
        from storage.benchmarks.store import BenchmarkStore

        return BenchmarkStore(self._results, clock=utc_now)

    @cached_property
    def outcomes(self) -> "OutcomeService":
        """Shows outcomes, and waits for them."""
        from handlers.http.outcomes import OutcomeService
        from handlers.http.progress import ProgressService

        progress = ProgressService(self.benchmarks, self._reader, self._standings, self._entries)
        return OutcomeService(self._records, self._reader, self._reviews, self.benchmarks, progress)

    @cached_property
    def _reader(self) -> "BoardReader":
        from storage.boards.reading import BoardReader, SiteFiles

        return BoardReader(SiteFiles(self._site))

    @cached_property
    def _entries(self) -> "BoardEntryStore":
        from storage.boards.entries import BoardEntryStore

        return BoardEntryStore(self._boards)

    @cached_property
    def _standings(self) -> "StandingStore":
        from storage.boards.standings import StandingStore

        return StandingStore(self._boards)

    @cached_property
    def _reviews(self) -> "ReviewStore":
        from storage.submissions.decisions import ReviewStore

        return ReviewStore(self._records.table)
