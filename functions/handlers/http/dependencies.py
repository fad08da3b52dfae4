"""Builds, once, what both functions behind the HTTP API need."""
# ruff: noqa: PLC0415  # each builder imports its own parts: the POST of a result starts without the rest

import secrets
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from storage.gateway import clients
from storage.gateway.bucket import Bucket
from storage.gateway.table import Table
from storage.keys import Clock, Randomness, utc_now
from storage.players.players import GuestNameStore, PlayerStore
from storage.players.quotas import QuotaStore
from storage.players.tokens import TokenStore
from storage.settings import HttpSettings
from storage.submissions.store import SubmissionStore

if TYPE_CHECKING:
    from storage.benchmarks.owners import OwnerStore
    from storage.benchmarks.store import BenchmarkStore
    from storage.boards.entries import BoardEntryStore
    from storage.boards.reading import BoardReader
    from storage.boards.standings import StandingStore
    from storage.submissions.decisions import ReviewStore

SECRETS_AGE = timedelta(minutes=1)
MAX_CACHE_BYTES = 8_000_000
"""Of objects of boards as they are stored; in memory they take about ten times as much."""


class HttpServices:
    """What the functions behind the HTTP API are given.

    What a POST of a result does without is imported and built when it is first used.
    """

    def __init__(self, settings: HttpSettings) -> None:
        dynamodb, s3 = clients.gateway().tables, clients.gateway().objects
        self.origin_secret = settings.origin_secret
        self.access, self._boards = Table(dynamodb, settings.access_table), Table(dynamodb, settings.boards_table)
        self.results, self.site = Bucket(s3, settings.results_bucket), Bucket(s3, settings.site_bucket)
        self.records = SubmissionStore(Table(dynamodb, settings.submissions_table), self.results)
        self.players, self.guest_names = PlayerStore(self.access), GuestNameStore(self.access)
        self.quotas = QuotaStore(self.access)
        self.tokens = TokenStore(self.access)
        self.clock: Clock = utc_now
        self._secrets, self._secrets_read_at = tuple[bytes, ...](), self.clock()
        self.randomness: Randomness = secrets.token_bytes

    @property
    def guest_secrets(self) -> tuple[bytes, ...]:
        """What guests' ids are derived with, this stack's first; at most a minute old."""
        if not self._secrets or self.clock() - self._secrets_read_at >= SECRETS_AGE:
            self._secrets = self.guest_names.keep_secrets(secrets.token_bytes(32))
            self._secrets_read_at = self.clock()
        return self._secrets

    @cached_property
    def owners(self) -> "OwnerStore":
        """Reads who created what."""
        from storage.benchmarks.owners import OwnerStore

        return OwnerStore(self.access)

    @cached_property
    def benchmarks(self) -> "BenchmarkStore":
        """Reads what is published."""
        from storage.benchmarks.store import BenchmarkStore

        return BenchmarkStore(self.results, clock=utc_now)

    @cached_property
    def boards(self) -> "BoardReader":
        """Reads what boards show."""
        from storage.boards.reading import BoardReader
        from storage.boards.snapshots import DecodedObjects, SnapshotStore

        return BoardReader(SnapshotStore(self.site, objects=DecodedObjects(MAX_CACHE_BYTES)))

    @cached_property
    def entries(self) -> "BoardEntryStore":
        """Reads what boards count of submissions."""
        from storage.boards.entries import BoardEntryStore

        return BoardEntryStore(self._boards)

    @cached_property
    def standings(self) -> "StandingStore":
        """Reads what rows rest on."""
        from storage.boards.standings import StandingStore

        return StandingStore(self._boards)

    @cached_property
    def reviews(self) -> "ReviewStore":
        """Reads and keeps what owners decide."""
        from storage.submissions.decisions import ReviewStore

        return ReviewStore(self.records.table)
