"""Takes an owner's wish that all results be scored by the version that was published last."""

from dataclasses import dataclass
from http import HTTPStatus

from storage.access.flags import FlagStore
from storage.audit import Action, AuditTrail
from storage.benchmarks.rescores import NothingToRescore, ask_rescore, find_following
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import Clock
from submit.auth import Caller
from submit.problems import Problem
from submit.schemas.benchmarks import RescoreView
from submit.services.errors import check_owner


@dataclass(frozen=True, slots=True)
class RescoreService:
    """Answers owners and administrators."""

    markers: FlagStore
    trail: AuditTrail
    clock: Clock

    def ask(self, published: PublishedBenchmark, caller: Caller) -> RescoreView:
        """Ask for a rescore, and put that on record; asking again changes nothing.

        Args:
            published: The benchmark, read afresh.
            caller: Who asks.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 409, no other version is published.
        """
        owner = check_owner(caller, published)
        try:
            following = find_following(published)
        except NothingToRescore as error:
            raise Problem(HTTPStatus.CONFLICT, "nothing-to-rescore", str(error)) from error
        self.trail.add(owner, Action.RESCORE, benchmark=published.id, subject=following.version)
        ask_rescore(published, self.markers, now=self.clock())
        return RescoreView(benchmark=published.id, version=published.version, next=following.version)
