"""What a board shows, computed from its standings, and how a head stays small. Pure."""

import gzip
import math
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from scoring_core.benchmarks.definition import MAX_DESCRIPTION_BYTES, Combine, Keep, Ranking
from scoring_core.io.text import cut_markdown
from scoring_core.metrics.score_type import Direction, MetricType, ScoreType
from scoring_core.ranking.improvements import downsample
from scoring_core.ranking.standings import Standing, order_players, rank_key
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import (
    Baseline,
    Counts,
    Head,
    Histogram,
    IndexEntry,
    Metric,
    Rows,
    StaleRowsFile,
    Step,
    WithdrawalNotices,
)
from storage.boards.standings import PlayerStanding
from storage.ids import time_of
from storage.submissions.models import Player

HISTOGRAM_BINS = 20
MAX_LEADERS = 3
MAX_HEAD_BYTES = 10_000
"""Gzipped: what a phone must load before it shows a board."""
CUT = "*The description goes on where results are submitted.*"


class BoardContent(NamedTuple):
    """What a board shows: rows without deltas, all improvements, withdrawal notices.

    `revision` is that of the oldest publishing whose ranking a standing was folded by.
    """

    revision: int
    rows: Rows
    improvements: tuple[Step, ...]
    notices: tuple[WithdrawalNotices, ...]


class HeadSize(NamedTuple):
    """How many rows and improvements a head holds, and how many bytes of the description."""

    rows: int
    records: int
    description: int = MAX_DESCRIPTION_BYTES


SIZES = (
    *(HeadSize(100, records) for records in (200, 100, 50, 25)),
    *(HeadSize(rows, 25) for rows in (80, 60, 50)),
    *(HeadSize(rows, 20) for rows in (40, 30)),
    *(HeadSize(rows, 10) for rows in (20, 10)),
    *(HeadSize(10, 10, description) for description in (32_000, 16_000, 8_000, 4_000, 2_000, 0)),
)
"""Each smaller than the one before. The rows file has all rows, the submit page the whole description."""


def order_rows(standings: Collection[PlayerStanding], *, ranking: Ranking, score_type: ScoreType) -> Rows:
    """Return the rows of a board, in rank order, at full precision."""
    by_player = {entry.player.id: entry for entry in standings}
    keys = {
        player: (rank_key(entry.standing.scores, ranking=ranking, score_type=score_type), entry.standing.submission)
        for player, entry in by_player.items()
    }
    positions = order_players(keys)
    ordered = [by_player[player] for player, _ in positions]
    return Rows(
        player=tuple(entry.player.id for entry in ordered),
        name=tuple(entry.player.name for entry in ordered),
        kind=tuple(entry.player.kind for entry in ordered),
        verified=tuple(entry.player.verified for entry in ordered),
        rank=tuple(position.rank for _, position in positions),
        tied=tuple(position.tied for _, position in positions),
        scores={name: tuple(entry.standing.scores.get(name) for entry in ordered) for name in score_type.names},
        submissions=tuple(entry.standing.submissions for entry in ordered),
        at=tuple(int(time_of(entry.standing.submission).timestamp() * 1000) for entry in ordered),
        submission=tuple(entry.standing.submission for entry in ordered),
    )


def read_rows(rows: Rows) -> dict[str, PlayerStanding]:
    """Return the standings that rows were made of, player id → standing."""
    standings = {}
    for index, player in enumerate(rows.player):
        scores = {name: column[index] for name, column in rows.scores.items()}
        standings[player] = PlayerStanding(
            Player(id=player, name=rows.name[index], kind=rows.kind[index], verified=rows.verified[index]),
            Standing(
                scores={name: score for name, score in scores.items() if score is not None},
                submission=rows.submission[index],
                submissions=rows.submissions[index],
            ),
        )
    return standings


def cut_rows(rows: Rows, length: int) -> Rows:
    """Return the first rows."""
    columns = {name: getattr(rows, name)[:length] for name in Rows.model_fields if name != "scores"}
    return Rows(**columns, scores={name: column[:length] for name, column in rows.scores.items()})


def compare_rows(rows: Rows, ranks: Mapping[str, int] | None) -> Rows:
    """Return the rows with how many ranks each player rose since `ranks`, if any."""
    if ranks is None:
        return rows.model_copy(update={"delta": ()})
    deltas = (ranks[player] - rank if player in ranks else None for player, rank in read_ranks(rows).items())
    return rows.model_copy(update={"delta": tuple(deltas)})


def read_ranks(rows: Rows) -> dict[str, int]:
    """Return player → rank."""
    return dict(zip(rows.player, rows.rank, strict=True))


def make_head(
    published: PublishedBenchmark,
    board: BoardContent,
    rows: Rows,
    *,
    baseline: Baseline | None,
    rows_url: str,
    sequence: int,
    generated_at: datetime,
    stale_files: Sequence[StaleRowsFile],
) -> Head:
    """Return the whole head of a board; `trim_head` makes it small."""
    definition = published.definition
    return Head(
        id=published.id,
        title=definition.title,
        summary=definition.summary,
        tags=definition.tags,
        description=published.description,
        version=published.version,
        revision=board.revision,
        sequence=sequence,
        generated_at=generated_at,
        opens=definition.opens,
        closes=definition.closes,
        total=len(rows.player),
        counts=Counts(players=len(rows.player), submissions=sum(rows.submissions)),
        metrics=tuple(_metric(metric, definition.ranking) for metric in definition.score_type.headers),
        rank_rule=describe_ranking(definition.ranking, definition.score_type, parts=len(published.parts)),
        rows=rows,
        rows_url=rows_url,
        histogram={
            name: histogram
            for name, column in rows.scores.items()
            if (histogram := count_values([value for value in column if value is not None])) is not None
        },
        best_over_time=board.improvements,
        records=len(board.improvements),
        baseline=baseline,
        removed=board.notices,
        replaced=tuple(stale_files),
    )


def make_index_entry(head: Head, published: PublishedBenchmark) -> IndexEntry:
    """Return the entry of a board in the index."""
    primary = next(metric for metric in head.metrics if metric.primary)
    bests = head.rows.scores.get(primary.id, ())
    leaders = head.rows.rank[:MAX_LEADERS].count(1)
    return IndexEntry(
        id=head.id,
        title=head.title,
        summary=head.summary,
        tags=head.tags,
        state=published.definition.phase_at(head.generated_at),
        opens=head.opens,
        closes=head.closes,
        players=head.counts.players,
        submissions=head.counts.submissions,
        primary=primary,
        best=bests[0] if bests else None,
        leader=head.rows.name[:leaders],
        leader_verified=head.rows.verified[:leaders],
        updated_at=head.generated_at,
        sequence=head.sequence,
    )


def count_values(values: Sequence[float]) -> Histogram | None:
    """Count values in equal bins, the last with its upper end; None without values.

    >>> count_values([1, 2, 3]).counts[0]
    1
    """
    if not values:
        return None
    low, high = min(values), max(values)
    if low == high:
        return Histogram(min=low, max=high, counts=(len(values),))
    counts = [0] * HISTOGRAM_BINS
    scale = 1.0 if math.isfinite(high - low) else 0.5
    for value in values:
        share = (value * scale - low * scale) / (high * scale - low * scale)
        counts[min(int(share * HISTOGRAM_BINS), HISTOGRAM_BINS - 1)] += 1
    return Histogram(min=low, max=high, counts=tuple(counts))


def describe_ranking(ranking: Ranking, score_type: ScoreType, *, parts: int) -> str:
    """Return one sentence that says who leads a benchmark with so many parts."""
    kept = {
        Keep.BEST: "the best submission",
        Keep.LATEST: "the latest submission",
        Keep.MEAN: "the mean of all submissions",
        Keep.SUM: "the sum of all submissions",
    }[ranking.keep]
    combined = {Combine.SUM: "added up", Combine.MEAN: "averaged"}[ranking.combine]
    over = f" for each of {parts} parts, {combined}," if parts else ""
    metrics = [
        f"{metric.label or metric.name} ({'higher' if metric.direction is Direction.HIGHER else 'lower'} is better)"
        for metric in map(score_type.metric, ranking.by)
    ]
    return f"Of each player {kept}{over} counts; ranked by {', then '.join(metrics)}. Equal values share a rank."


def trim_head(head: Head) -> Head:
    """Return the head in the largest size within MAX_HEAD_BYTES, or the smallest.

    A binary search: a head is packed five times at most. A definition of forty metrics with long texts may exceed
    MAX_HEAD_BYTES even in the smallest size.

    Args:
        head: With all rows, all improvements and the whole description.
    """
    index = bisect_left(SIZES, True, key=lambda size: measure_head(_cut(head, size)) <= MAX_HEAD_BYTES)  # noqa: FBT003  # the value to find
    return _cut(head, SIZES[min(index, len(SIZES) - 1)])


def measure_head(head: Head) -> int:
    """Return the size of a head as it is transferred, in bytes."""
    return len(gzip.compress(head.model_dump_json().encode(), compresslevel=6, mtime=0))


def _cut(head: Head, size: HeadSize) -> Head:
    return head.model_copy(
        update={
            "rows": cut_rows(head.rows, size.rows),
            "best_over_time": downsample(head.best_over_time, size.records),
            "description": cut_markdown(head.description, max_bytes=size.description, note=CUT),
        }
    )


def _metric(metric: MetricType, ranking: Ranking) -> Metric:
    return Metric(
        id=metric.name,
        label=metric.label or metric.name,
        unit=metric.unit,
        direction=metric.direction,
        decimals=metric.decimals,
        help=metric.help,
        primary=metric.name == ranking.by[0],
    )
