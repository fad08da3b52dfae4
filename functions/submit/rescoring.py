"""Takes an owner's wish that all results be scored by the version that was published last."""

from dataclasses import dataclass
from http import HTTPStatus

from ledger.audit_trail import Action, Actor, AuditTrail, Role
from ledger.benchmark_store import Published
from ledger.marker_store import MarkerStore
from ledger.rescoring import NothingToRescore, ask_rescore
from ledger.submission_id import Clock
from ledger.token_store import Scope
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
        check_owner(caller, published)
        following = published.next
        if following is None:
            raise _nothing(f"{published.id}: no other version than {published.version} is published")
        actor = _find_actor(caller, published)
        self.trail.add(actor, Action.RESCORE, benchmark=published.id, subject=following.version)
        try:
            ask_rescore(published, self.markers, now=self.clock())
        except NothingToRescore as error:
            raise _nothing(str(error)) from error
        return RescoreView(benchmark=published.id, version=published.version, next=following.version)


def _nothing(detail: str) -> Problem:
    return Problem(HTTPStatus.CONFLICT, "nothing-to-rescore", detail)


def _find_actor(caller: Caller, published: Published) -> Actor:
    role = Role.ADMIN if caller.may(Scope.ADMIN, published.id) else Role.OWNER
    return Actor(id=caller.token.player if caller.token else "", role=role)
