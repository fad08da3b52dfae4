"""How many results a player may still submit."""

from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus

from handlers.http.auth import PLAYER_KEY_HEADER
from handlers.http.problems import Problem
from handlers.http.submitters import SubmitterRequest, SubmitterService
from scoring_core.benchmarks.terms import SubmissionTerms
from storage.players.quotas import QuotaLeft, QuotaStore


def find_left(
    submitters: SubmitterService, quotas: QuotaStore, terms: SubmissionTerms, request: SubmitterRequest, now: datetime
) -> Sequence[QuotaLeft]:
    """Return what is left to the player who would submit; nothing without one.

    Raises Problem 401, 409 or 422 if the name or the player key cannot be used.
    """
    names_nobody = request.player is None and PLAYER_KEY_HEADER not in request.headers
    if names_nobody and request.caller.account is None:
        return ()
    try:
        submitter = submitters.identify(request, terms)
    except Problem as problem:
        if names_nobody or problem.status is HTTPStatus.FORBIDDEN:
            return ()
        raise
    return quotas.find_left(terms, submitter.player.id, submitter.origin, now=now)
