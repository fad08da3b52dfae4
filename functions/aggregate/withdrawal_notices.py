"""What a board says of withdrawn submissions: the newest ones. Pure.

A withdrawal stands for good, so a board only ever gains such lines.
"""

import gzip
from collections.abc import Collection, Iterable

from storage.boards.models import WithdrawalNotices
from storage.boards.withdrawal_notices import MAX_REMOVALS, PlayerWithdrawalNotice

MAX_BYTES = 2_000
"""Gzipped: hardly any board has to show fewer rows for it."""


def join_withdrawal_notices(removals: Iterable[PlayerWithdrawalNotice]) -> tuple[WithdrawalNotices, ...]:
    """Give what a board shows of these removals, the newest first, MAX_REMOVALS and MAX_BYTES at most."""
    return _keep_newest(map(_show, removals))


def update_withdrawal_notices(
    known: Iterable[WithdrawalNotices], touched: Iterable[PlayerWithdrawalNotice], *, players: Collection[str]
) -> tuple[WithdrawalNotices, ...]:
    """Bring what a board shows up to date with some of its players.

    Args:
        known: As it was shown.
        touched: All that those players have had removed.
        players: Whose standings may have changed.
    """
    return _keep_newest([*(one for one in known if one.player not in players), *map(_show, touched)])


def _show(one: PlayerWithdrawalNotice) -> WithdrawalNotices:
    player, removal = one
    return WithdrawalNotices(
        player=player.id, name=player.name, at=removal.at, reason=removal.reason, submission=removal.submission
    )


def _keep_newest(removed: Iterable[WithdrawalNotices]) -> tuple[WithdrawalNotices, ...]:
    ordered = sorted(removed, key=lambda one: (one.at, one.submission), reverse=True)[:MAX_REMOVALS]
    while ordered and _measure(ordered) > MAX_BYTES:
        ordered.pop()
    return tuple(ordered)


def _measure(removed: Iterable[WithdrawalNotices]) -> int:
    return len(gzip.compress("".join(one.model_dump_json() for one in removed).encode(), compresslevel=6, mtime=0))
