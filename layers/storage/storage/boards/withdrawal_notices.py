"""What a board says of withdrawn submissions, and how contributions and standings carry it along."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from storage.aws.attributes import Plain
from storage.submissions.models import Player

MAX_REMOVALS = 20
"""The newest ones of a player are kept with the standing, as many as a board shows of all players."""


class WithdrawalNotice(NamedTuple):
    """That a submission no longer counts on a board.

    Args:
        at: When it was withdrawn, in UTC.
        submission: The submission's id.
        reason: As shown.
    """

    at: datetime
    submission: str
    reason: str


class PlayerWithdrawalNotice(NamedTuple):
    """A removal with whose submission it was."""

    player: Player
    removal: WithdrawalNotice


def join_notices(removals: Iterable[WithdrawalNotice | None]) -> tuple[WithdrawalNotice, ...]:
    """Give each removal once, the newest first, MAX_REMOVALS at most; None stands for none."""
    distinct = {one for one in removals if one is not None}
    return tuple(sorted(distinct, reverse=True)[:MAX_REMOVALS])


def write_notices(removals: Iterable[WithdrawalNotice]) -> str:
    """Give the form in which a standing keeps removals."""
    return json.dumps([[one.at.isoformat(), one.submission, one.reason] for one in removals])


def read_notices_file(standing: Mapping[str, Plain]) -> tuple[WithdrawalNotice, ...]:
    """Read the removals of a standing; none where it was written before there were any."""
    stored = json.loads(str(standing.get("removed", "[]")))
    return tuple(WithdrawalNotice(datetime.fromisoformat(at), submission, reason) for at, submission, reason in stored)
