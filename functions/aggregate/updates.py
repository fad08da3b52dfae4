"""Updates the improvements and withdrawal notices of a board from a few players' standings, and its beat. Pure."""

import gzip
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.improvement_lists import is_better
from storage.boards.models import Counts, Head, Step, WithdrawalNotices
from storage.boards.standings import PlayerStanding
from storage.boards.withdrawal_notices import MAX_NOTICES, RESTORED, PlayerWithdrawalNotice
from storage.ids import time_of

MAX_NOTICE_BYTES = 2_000
"""Of all notices, gzipped: so hardly any board has to show fewer rows for them."""
MEMORY_SECONDS = 60
"""A change counts for the beat as long as this, roughly."""
SECONDS_A_CHANGE = 2
"""The beat of a board that changes once a second: what pages keep to by themselves."""
LONGEST_BEAT_SECONDS = 20
"""A head of 8 KB for 10,000 viewers then costs three dollars an hour (docs/measurements.md)."""


class UpdatedImprovements(NamedTuple):
    """The improvements of a board, and whether those that others beat until now may be missing."""

    improvements: tuple[Step, ...]
    is_incomplete: bool


def join_improvements(standings: Mapping[str, PlayerStanding], direction: Direction) -> tuple[Step, ...]:
    """Return the improvements of a board from all its standings, row id → standing."""
    return _keep_leading((step for row, entry in standings.items() for step in _steps_of(row, entry)), direction)


def update_improvements(
    shown: Sequence[Step], changed: Mapping[str, PlayerStanding], *, rows: Collection[str], direction: Direction
) -> UpdatedImprovements:
    """Return the improvements of a board after some standings have changed.

    Args:
        shown: All improvements before.
        changed: Current standings of `rows`, without those that have none.
        rows: Whose standings may have changed.
        direction: Of the primary metric.

    Returns:
        What `join_improvements` would return for all standings. Incomplete if an improvement is gone: those that it
        beat may show again, so all standings must be read for them.
    """
    others = [step for step in shown if step[2] not in rows]
    added = (step for row, entry in changed.items() for step in _steps_of(row, entry))
    improvements = _keep_leading([*others, *added], direction)
    replaced = (step for step in shown if step[2] in rows)
    is_complete = all(any(_dominates(step, old, direction) for step in improvements) for old in replaced)
    return UpdatedImprovements(improvements, not is_complete)


def update_notices(
    shown: Iterable[WithdrawalNotices], changed: Iterable[PlayerWithdrawalNotice]
) -> tuple[WithdrawalNotices, ...]:
    """Return the newest withdrawal notices of a board, within both limits.

    A board loses a notice to newer ones, or because the submission was restored.

    Args:
        shown: What the board showed before; empty if `changed` has the notices of all rows.
        changed: All notices of the rows that may have changed.
    """
    written = (
        WithdrawalNotices(
            player=player.id, name=player.name, at=notice.at, reason=notice.reason, submission=notice.submission
        )
        for player, notice in changed
    )
    newest = {notice.submission: notice for notice in (*shown, *written)}
    notices = [notice for notice in newest.values() if notice.reason != RESTORED]
    notices.sort(key=lambda notice: (notice.at, notice.submission), reverse=True)
    kept = notices[:MAX_NOTICES]
    while kept and _measure(kept) > MAX_NOTICE_BYTES:
        kept.pop()
    return tuple(kept)


def choose_beat(before: Head, counts: Counts, *, now: datetime) -> float:
    """Return how many seconds open pages shall wait at least, after a change.

    What the head before named fades away; each submission that came or went since adds its share. Both moments are by
    renderers' clocks; pages compare none of them with theirs.

    Args:
        before: The head before, of the same version.
        counts: How much is on the board now.
        now: When it is published.
    """
    quiet = max(0.0, (now - before.generated_at).total_seconds())
    came = counts.submissions + counts.unranked - before.counts.submissions - before.counts.unranked
    beat = before.beat * math.exp(-quiet / MEMORY_SECONDS) + max(1, abs(came)) * SECONDS_A_CHANGE / MEMORY_SECONDS
    return min(float(LONGEST_BEAT_SECONDS), round(beat, 3))


def _measure(notices: Iterable[WithdrawalNotices]) -> int:
    text = "".join(notice.model_dump_json() for notice in notices)
    return len(gzip.compress(text.encode(), compresslevel=6, mtime=0))


def _steps_of(row: str, entry: PlayerStanding) -> Iterable[Step]:
    for submission, value in entry.improvements:
        yield int(time_of(submission).timestamp() * 1000), value, row, submission


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
