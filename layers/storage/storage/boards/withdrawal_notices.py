"""What a board shows of withdrawn submissions, and how standings store it."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from storage.gateway.schema import Plain
from storage.submissions.models import Player

MAX_NOTICES = 20
"""The newest notices of a player are stored with the standing, as many as a board shows of all players."""


RESTORED = ""
"""The reason of a notice that takes back the one before. No other is empty; no board shows it."""


class WithdrawalNotice(NamedTuple):
    """A submission that no longer counts on a board, since `at` in UTC; if RESTORED, it counts again."""

    at: datetime
    submission: str
    reason: str


class PlayerWithdrawalNotice(NamedTuple):
    """A withdrawal notice and the submission's player."""

    player: Player
    notice: WithdrawalNotice


def join_notices(
    before: Iterable[WithdrawalNotice], later: Iterable[WithdrawalNotice | None]
) -> tuple[WithdrawalNotice, ...]:
    """Return the last notice of each submission, the newest first.

    Of those that a board may show there are MAX_NOTICES, and as many that take one back. The latter are kept only where
    `before` has a notice of the submission: otherwise no board can show it. None is skipped.
    """
    joined = {notice.submission: notice for notice in before}
    for notice in later:
        if notice is not None and (notice.reason != RESTORED or notice.submission in joined):
            joined[notice.submission] = notice
    shown = sorted((notice for notice in joined.values() if notice.reason != RESTORED), reverse=True)
    taken_back = sorted((notice for notice in joined.values() if notice.reason == RESTORED), reverse=True)
    return tuple(sorted([*shown[:MAX_NOTICES], *taken_back[:MAX_NOTICES]], reverse=True))


def write_notices(notices: Iterable[WithdrawalNotice]) -> str:
    """Return notices as a standing stores them."""
    return json.dumps([[notice.at.isoformat(), notice.submission, notice.reason] for notice in notices])


def read_notices(standing: Mapping[str, Plain]) -> tuple[WithdrawalNotice, ...]:
    """Read the notices of a standing."""
    stored = json.loads(str(standing["removed"]))
    return tuple(WithdrawalNotice(datetime.fromisoformat(at), submission, reason) for at, submission, reason in stored)
