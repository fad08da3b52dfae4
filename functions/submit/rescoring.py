"""Takes an owner's wish that all results be scored by the version that was published last."""

from dataclasses import dataclass
from http import HTTPStatus

from ledger.audit_trail import Action, AuditTrail
from ledger.benchmark_store import Published
from ledger.marker_store import MarkerStore
from ledger.rescoring import NothingToRescore, ask_rescore, find_following
from ledger.submission_id import Clock
from submit.callers import Caller
from submit.failures import check_owner
from submit.problems import Problem
from submit.views.benchmarks import RescoreView


@dataclass(frozen=True, slots=True)
class RescoreDesk:
    """Answers owners and administrators."""

    markers: MarkerStore
    trail: AuditTrail
    clock: Clock

    def ask(self, published: Published, caller: Caller) -> RescoreView:
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
