"""What a board shows, computed from its standings, how its lists and beat follow, and how a head stays small. Pure."""

import gzip
import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from aggregate.paging import rank_rows, show_rows
from scoring_core.benchmarks.definition import Combine, Keep, Unfinished
from scoring_core.benchmarks.terms import find_phase
from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.accumulators import FoldingRules
from scoring_core.ranking.improvement_lists import downsample, is_better
from scoring_core.ranking.part_columns import name_parts
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import (
    Counts,
    Head,
    HeadFinal,
    HeadLink,
    HeadParts,
    HeadRanking,
    HeadWindow,
    IndexEntry,
    IndexRow,
    Metric,
    Rows,
    Step,
    WithdrawalNotices,
)
from storage.boards.published import PublishedBoard
from storage.boards.standings import MAX_NOTICES, RESTORED, Columns, PlayerStanding, WithdrawalNotice
from storage.keys import milliseconds_of
from storage.submissions.models import Player

TOP_ROWS = 3
MAX_HEAD_BYTES = 10_000
"""Gzipped: what a phone must load before it shows a board."""
LEFT_OUT = "<p><em>The description is where results are submitted.</em></p>"
MAX_NOTICE_BYTES = 2_000
"""Of all notices, gzipped: so hardly any board has to show fewer rows for them."""
MEMORY_SECONDS = 60
"""A change counts for the beat as long as this, roughly."""
SECONDS_A_CHANGE = 2
"""The beat of a board that changes once a second: what pages keep to by themselves."""
LONGEST_BEAT_SECONDS = 20
"""A head of 8 KB for 10,000 viewers then costs three dollars an hour (docs/measurements.md)."""


class HeadSize(NamedTuple):
    """How many rows and improvements a head holds."""

    rows: int
    improvements: int


SIZES = (
    *(HeadSize(100, improvements) for improvements in (200, 100, 50, 25)),
    *(HeadSize(rows, 25) for rows in (80, 60, 50)),
    *(HeadSize(rows, 20) for rows in (40, 30)),
    *(HeadSize(rows, 10) for rows in (20, 10)),
)
"""Each smaller than the one before. Pages have all rows."""


def order_rows(standings: Collection[PlayerStanding], *, rules: FoldingRules) -> Rows:
    """Return all rows of a board, in rank order, at full precision."""
    columns = Columns.of(rules)
    rows = sorted(map(columns.read_row, standings), key=lambda row: row.place(columns.order))
    return show_rows(rank_rows(rows, columns.order), columns)


def cut_rows(rows: Rows, length: int) -> Rows:
    """Return the first rows."""
    columns = {name: getattr(rows, name)[:length] for name in Rows.model_fields if name != "scores"}
    return Rows(**columns, scores={name: column[:length] for name, column in rows.scores.items()})


def name_boards(published: PublishedBenchmark, now: datetime) -> list[tuple[str, str | None]]:
    """Return ids and titles of boards, then of windows that have begun, as tabs do."""
    boards = [(shown.board.id, shown.board.title) for shown in published.boards]
    return boards + [(each.window.id, each.window.title) for each in published.windows if each.find_at(now)]


def takes_back(before: Head, after: Head, left: Collection[str] | None) -> bool:
    """Return whether the page of one head may show what a later one must not.

    That is a row, a name or a submission.

    Args:
        before: The head of the page.
        after: The later one.
        left: The rows that left the board in between; None if that is not known.
    """
    if left or before.notices != after.notices or before.baselines != after.baselines:
        return True
    names = dict(zip(after.rows.row_ids, after.rows.name, strict=True))
    for row_id, name in zip(before.rows.row_ids, before.rows.name, strict=True):
        # A row that others have pushed below the first ones is still on the board.
        if names.get(row_id, None if left is None else name) != name:
            return True
    return False


def describe_board(published: PublishedBenchmark, shown: PublishedBoard) -> dict[str, Any]:
    """Return what a head says of a board whatever its rows are."""
    definition, board = published.definition, shown.board
    columns, final = Columns.of(board.rules), _describe_final(published, board.rules)
    return {
        "id": published.id,
        "board": board.id,
        "board_title": board.title,
        "title": definition.title,
        "summary": definition.summary,
        "tags": definition.tags,
        "links": tuple(HeadLink(label=link.label, url=link.url) for link in definition.links),
        "description": published.description,
        "version": published.version,
        "since": shown.key.since,
        "opens": definition.opens,
        "closes": definition.closes,
        "metrics": describe_metrics(board.rules),
        "ranking": HeadRanking(
            rule=" ".join(filter(None, (describe_ranking(board.rules), _explain_final(final)))),
            keep=board.rules.ranking.keep,
            order=columns.order.by,
            rows=board.ranking.rows,
            has_kinds=any(other.when.kind is not None for other in definition.boards),
        ),
        "final": final,
        "parts": _describe_parts(columns, board.rules),
        "corrected_at": published.promotion and published.promotion.at,
        "window": board.span and HeadWindow(**board.span._asdict()),
    }


def describe_metrics(rules: FoldingRules) -> tuple[Metric, ...]:
    """Return the metrics as a board shows them."""
    return tuple(
        Metric(
            id=metric.name,
            label=metric.label or metric.name,
            unit=metric.unit,
            direction=metric.direction,
            decimals=metric.decimals,
            help=metric.help,
            primary=metric.name == rules.ranking.by[0],
        )
        for metric in rules.score_type.headers
    )


def make_index_entry(head: Head, *, now: datetime) -> IndexEntry:
    """Return the entry of a board in the index."""
    primary = head.primary
    rows, steps = head.rows, head.improvements.steps
    values = rows.scores.get(primary.id, (None,) * len(rows.name))
    at, _, leader, _ = steps[-1] if steps else (0, 0, None, None)
    leads = leader is not None and head.ranking.rows == "player" and rows.player[:1] == (leader,)
    return IndexEntry(
        id=head.id,
        title=head.title,
        summary=head.summary,
        tags=head.tags,
        state=find_phase(now, opens=head.opens, closes=head.closes),
        opens=head.opens,
        closes=head.closes,
        players=head.counts.players,
        submissions=head.counts.submissions + head.counts.unranked,
        primary=primary,
        top=tuple(
            IndexRow(player=player, name=name, kind=kind, verified=verified, rank=rank, value=value)
            for player, name, kind, verified, rank, value in zip(
                rows.player[:TOP_ROWS], rows.name, rows.kind, rows.verified, rows.rank, values, strict=False
            )
        ),
        taken_at=datetime.fromtimestamp(at / 1000, UTC) if leads else None,
        updated_at=head.generated_at,
        sequence=head.sequence,
    )


_KEPT: Final = {
    Keep.BEST: "the best submission",
    Keep.BEST_PUBLIC: "the submission with the best public scores",
    Keep.LATEST: "the latest submission",
    Keep.MEAN: "the mean of all submissions",
    Keep.SUM: "the sum of all submissions",
}


def describe_ranking(rules: FoldingRules) -> str:
    """Return some sentences that say who leads a board."""
    ranking, score_type, parts = rules.ranking, rules.score_type, len(rules.parts)
    noun = name_parts(rules.parts)
    kept = _KEPT[ranking.keep]
    combined = {Combine.SUM: "added up", Combine.MEAN: "averaged"}[ranking.combine]
    over = f" for each of {parts} {noun}, {combined}," if parts > 1 else ""
    metrics = [
        f"{metric.label or metric.name} ({'higher' if metric.direction is Direction.HIGHER else 'lower'} is better)"
        for metric in map(score_type.metric, ranking.by)
    ]
    rule = f"Of each player {kept}{over} counts; ranked by {', then '.join(metrics)}. Equal values share a rank."
    is_below = ranking.unfinished is Unfinished.BELOW and parts > 1
    return f"{rule} Who has done more of the {noun} stands above who has done fewer." if is_below else rule


def trim_head(head: Head, before: Head | None = None) -> Head:
    """Return the head in the largest size within MAX_HEAD_BYTES, or the smallest.

    If the smallest is too large, the description is left out; the submit page has it. A search by halves: a head is
    packed six times at most, and once or twice if it has as many rows as the one before. A definition of forty metrics
    with long texts may exceed MAX_HEAD_BYTES even so.

    Args:
        head: With its first rows, all improvements and the description.
        before: The head before, whose number of rows is tried first; None: all are.
    """
    rows, steps = len(head.rows.name), len(head.improvements.steps)
    sizes = list(dict.fromkeys(HeadSize(min(size.rows, rows), min(size.improvements, steps)) for size in SIZES))
    tried, low, high = _guess_size(sizes, before), 0, len(sizes) - 1
    if fits(cut := _cut(head, sizes[tried])):
        if tried == 0 or not fits(_cut(head, sizes[tried - 1])):
            return cut
        high = tried - 1
    elif fits(_cut(head, sizes[-1])):
        low = min(tried + 1, high)
    else:
        head = head.model_copy(update={"description": LEFT_OUT})
    return _cut(head, sizes[bisect_left(sizes, True, low, high, key=lambda size: fits(_cut(head, size)))])  # noqa: FBT003  # the value to find


def fits(head: Head) -> bool:
    """Return whether a head is small enough to be transferred."""
    body = head.model_dump_json()
    # What is packed in a hurry is larger, and mostly small enough.
    return _measure(body, level=1) <= MAX_HEAD_BYTES or _measure(body) <= MAX_HEAD_BYTES


def _cut(head: Head, size: HeadSize) -> Head:
    steps = downsample(head.improvements.steps, size.improvements)
    improvements = head.improvements.model_copy(update={"steps": steps})
    return head.model_copy(update={"rows": cut_rows(head.rows, size.rows), "improvements": improvements})


def _describe_final(published: PublishedBenchmark, rules: FoldingRules) -> HeadFinal | None:
    final = published.definition.final
    if final is None:
        return None
    keep = published.definition.rank_finally(rules.ranking).keep
    return HeadFinal(at=final.at, keep=keep, is_shown=published.is_final)


def _explain_final(final: HeadFinal | None) -> str:
    if final is None:
        return ""
    if final.is_shown:
        return "This is the final: it ranks by rows that were hidden until then."
    readers = "the owner and the administrator of the site"
    final_rule = f"The final ranks by hidden ones, which until then only {readers} can read"
    return f"It ranks by public rows. {final_rule}, and of each player {_KEPT[final.keep]} counts."


def _describe_parts(columns: Columns, rules: FoldingRules) -> HeadParts | None:
    shown = columns.parts
    if not shown.total:
        return None
    return HeadParts(
        total=shown.total,
        noun=name_parts(rules.parts),
        combine=rules.ranking.combine,
        names=shown.parts,
        metrics=shown.metrics,
    )


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
    # None is missing if for each one that is gone there is one that is neither later nor worse.
    is_complete = all(
        any(_order(step) <= _order(old) and not is_better(old[1], step[1], direction) for step in improvements)
        for old in replaced
    )
    return UpdatedImprovements(improvements, not is_complete)


def update_notices(
    shown: Iterable[WithdrawalNotices], changed: Iterable[tuple[Player, WithdrawalNotice]]
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
    while kept and _measure("".join(notice.model_dump_json() for notice in kept)) > MAX_NOTICE_BYTES:
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


def _guess_size(sizes: Sequence[HeadSize], before: Head | None) -> int:
    """Return the index of the first size with no more rows than a head that was cut."""
    if before is None or before.pages is None:
        return 0
    shown = len(before.rows.name)
    return next((index for index, size in enumerate(sizes) if size.rows <= shown), len(sizes) - 1)


def _measure(text: str, *, level: int = 6) -> int:
    return len(gzip.compress(text.encode(), compresslevel=level, mtime=0))


def _steps_of(row: str, entry: PlayerStanding) -> Iterable[Step]:
    for submission, value in entry.improvements:
        yield milliseconds_of(submission), value, row, submission


def _keep_leading(steps: Iterable[Step], direction: Direction) -> tuple[Step, ...]:
    """Return, in order of submission, each step that beats all before it."""
    leading: list[Step] = []
    for step in sorted(steps, key=_order):
        if not leading or is_better(step[1], leading[-1][1], direction):
            leading.append(step)
    return tuple(leading)


def _order(step: Step) -> tuple[str, str]:
    _, _, player, submission = step
    return submission, player
