"""How quotas are told: what is left as members of answers, and what is used up as a problem."""

import math
from collections.abc import Sequence
from copy import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from handlers.http.problems import Problem
from storage.keys import Clock
from storage.players.quotas import QuotaExceeded, QuotaKey, QuotaKind, QuotaLeft, QuotaStore

if TYPE_CHECKING:
    from storage.actors import Actor

_LIMITS = {
    QuotaKind.USED: "submit {} results a day here",
    QuotaKind.INVALID: "submit {} invalid results a day here",
    QuotaKind.FREED: "submit {} results a day here whose scoring failed",
    QuotaKind.TICKETS: "submit {} files a day here by upload",
    QuotaKind.MAILS: "mail {} invitations a day",
}


def count_left(quotas: Sequence[QuotaLeft]) -> dict[str, Any]:
    """Return what all quotas together allow, as members of an answer; None if unknown.

    How many results may still be submitted now, how many of those in all, where there is such a limit, and when the
    quota of the day is back.
    """
    return {
        "quota_left": min((each.left for each in quotas), default=None),
        "left_in_all": next((each.left for each in quotas if each.quota.day is None), None),
        "resets_at": next((each.quota.resets_at for each in quotas if each.quota.day), None),
    }


def quota_problem(error: QuotaExceeded, *, clock: Clock, by_name: bool = False) -> Problem:
    """Return a 429 that says when it ends, or a 403 if it never does.

    `by_name`: the player is a guest.
    """
    if error.resets_at is None:
        detail = f"quota: each player may submit {error.limit} results here in all, and all are used"
        return Problem(HTTPStatus.FORBIDDEN, "tries-used-up", detail)
    shared = "all guests at your network address together" if error.quota.is_shared else None
    players = (
        "the owners of a benchmark"
        if error.kind is QuotaKind.MAILS
        else shared or ("each name" if by_name else "each player")
    )
    limit = _LIMITS[error.kind].format(error.limit)
    return Problem(
        HTTPStatus.TOO_MANY_REQUESTS,
        "quota-exhausted",
        f"quota: {players} may {limit}; the next day begins at {error.resets_at:%FT%TZ}",
        headers={"Retry-After": str(max(1, math.ceil((error.resets_at - clock()).total_seconds())))},
    )


def charge_owner(quotas: QuotaStore, name: str, owner: "Actor", *, per_day: int, limit: str, clock: Clock) -> None:
    """Count what an owner has done today of what is limited over all benchmarks.

    `name` is in the place of a benchmark, and no id of one; `limit` is for the message. Raises Problem 429.
    """
    try:
        quotas.charge_action(QuotaKey(name, owner.id, clock().date()), QuotaKind.TICKETS, per_day=per_day)
    except QuotaExceeded as error:
        detail = f"quota: {limit}; the next day begins at {error.resets_at:%FT%TZ}"
        raise replace(quota_problem(error, clock=clock), detail=detail) from error
