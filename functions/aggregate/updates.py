"""Updates the improvements and withdrawal notices of a board from the standings of a few players. Pure."""

import gzip
from collections.abc import Collection, Iterable, Mapping, Sequence

from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.improvement_lists import is_better
from storage.boards.models import Step, WithdrawalNotices
from storage.boards.standings import PlayerStanding
from storage.boards.withdrawal_notices import MAX_NOTICES, PlayerWithdrawalNotice
from storage.ids import time_of

MAX_NOTICE_BYTES = 2_000
"""Of all notices, gzipped: so hardly any board has to show fewer rows for them."""


def join_improvements(standings: Iterable[PlayerStanding], direction: Direction) -> tuple[Step, ...]:
    """Return the improvements of a board from all its standings."""
    return _keep_leading((step for standing in standings for step in _steps_of(standing)), direction)


def update_improvements(
    shown: Sequence[Step], changed: Mapping[str, PlayerStanding], *, players: Collection[str], direction: Direction
) -> tuple[Step, ...] | None:
    """Return the improvements of a board after some standings have changed.

    Args:
        shown: All improvements before.
        changed: Current standings of `players`, without those who have none.
        players: Whose standings may have changed.
        direction: Of the primary metric.

    Returns:
        What `join_improvements` would return for all standings. None if an improvement is gone: those that it beat may
        show again, so all standings must be read.
    """
    others = [step for step in shown if step[2] not in players]
    improvements = _keep_leading(
        [*others, *(step for entry in changed.values() for step in _steps_of(entry))], direction
    )
    replaced = [step for step in shown if step[2] in players]
    if all(any(_dominates(step, old, direction) for step in improvements) for old in replaced):
        return improvements
    return None


def update_notices(
    shown: Iterable[WithdrawalNotices], changed: Iterable[PlayerWithdrawalNotice], *, players: Collection[str]
) -> tuple[WithdrawalNotices, ...]:
    """Return the newest withdrawal notices of a board, within both limits.

    A submission stays withdrawn, so a board only loses a notice to newer ones.

    Args:
        shown: What the board showed before; empty if `changed` has the notices of all players.
        changed: All notices of `players`.
        players: Whose notices may have changed.
    """
    written = (
        WithdrawalNotices(
            player=player.id, name=player.name, at=notice.at, reason=notice.reason, submission=notice.submission
        )
        for player, notice in changed
    )
    notices = [*(notice for notice in shown if notice.player not in players), *written]
    notices.sort(key=lambda notice: (notice.at, notice.submission), reverse=True)
    kept = notices[:MAX_NOTICES]
    while kept and _measure(kept) > MAX_NOTICE_BYTES:
        kept.pop()
    return tuple(kept)


def _measure(notices: Iterable[WithdrawalNotices]) -> int:
    text = "".join(notice.model_dump_json() for notice in notices)
    return len(gzip.compress(text.encode(), compresslevel=6, mtime=0))


def _steps_of(entry: PlayerStanding) -> Iterable[Step]:
    for submission, value in entry.improvements:
        yield int(time_of(submission).timestamp() * 1000), value, entry.player.id, submission


def _keep_leading(steps: Iterable[Step], direction: Direction) -> tuple[Step, ...]:
    """Return, in order of submission, each step that beats all before it."""
    leading: list[Step] = []
    for step in sorted(steps, key=_order):
        if not leading or is_better(step[1], leading[-1][1], direction):
            leading.append(step)
    return tuple(leading)


def _dominates(step: Step, other: Step, direction: Direction) -> bool:
    """Return whether a step is neither later nor worse than another one."""
    return _order(step) <= _order(other) and not is_better(other[1], step[1], direction)


def _order(step: Step) -> tuple[str, str]:
    _, _, player, submission = step
    return submission, player
