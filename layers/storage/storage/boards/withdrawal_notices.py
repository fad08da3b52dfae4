"""What a board shows of withdrawn submissions, and how contributions and standings store it."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from storage.aws.attributes import Plain
from storage.submissions.models import Player

MAX_NOTICES = 20
"""The newest notices of a player are stored with the standing, as many as a board shows of all players."""


class WithdrawalNotice(NamedTuple):
    """A submission that no longer counts on a board, since `at` in UTC."""

    at: datetime
    submission: str
    reason: str


class PlayerWithdrawalNotice(NamedTuple):
    """A withdrawal notice and the submission's player."""

    player: Player
    notice: WithdrawalNotice


def join_notices(notices: Iterable[WithdrawalNotice | None]) -> tuple[WithdrawalNotice, ...]:
    """Return each notice once, the newest first, MAX_NOTICES at most; None is skipped."""
    distinct = {notice for notice in notices if notice is not None}
    return tuple(sorted(distinct, reverse=True)[:MAX_NOTICES])


def write_notices(notices: Iterable[WithdrawalNotice]) -> str:
    """Return notices as a standing stores them."""
    return json.dumps([[notice.at.isoformat(), notice.submission, notice.reason] for notice in notices])


def read_notices(standing: Mapping[str, Plain]) -> tuple[WithdrawalNotice, ...]:
    """Read the notices of a standing; none if it was written before there were any."""
    stored = json.loads(str(standing.get("removed", "[]")))
    return tuple(WithdrawalNotice(datetime.fromisoformat(at), submission, reason) for at, submission, reason in stored)
