"""What a board showed, computed whole from all of its standings."""

import gzip
import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from growing.before.models import Counts, Head, Histogram, Metric, Rows, StaleFile, Step
from growing.before.standings import ShownStanding

from scoring_core.benchmarks.definition import MAX_DESCRIPTION_BYTES, Ranking
from scoring_core.io.text import cut_markdown
from scoring_core.metrics.score_type import Direction, MetricType, ScoreType
from scoring_core.ranking.improvement_lists import is_better
from scoring_core.ranking.improvements import downsample
from scoring_core.ranking.standings import Standing, order_players, rank_key
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import time_of
from storage.submissions.models import Player

HISTOGRAM_BINS = 20
MAX_HEAD_BYTES = 10_000
"""Gzipped."""
CUT = "*The description goes on where results are submitted.*"


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


def order_rows(standings: Collection[ShownStanding], *, ranking: Ranking, score_type: ScoreType) -> Rows:
    """Return the rows of a board, in rank order."""
    by_player = {shown.player.id: shown for shown in standings}
    keys = {
        player: (rank_key(shown.standing.scores, ranking=ranking, score_type=score_type), shown.standing.submission)
        for player, shown in by_player.items()
    }
    positions = order_players(keys)
    ordered = [by_player[player] for player, _ in positions]
    return Rows(
        player=tuple(shown.player.id for shown in ordered),
        name=tuple(shown.player.name for shown in ordered),
        kind=tuple(shown.player.kind for shown in ordered),
        verified=tuple(shown.player.verified for shown in ordered),
        rank=tuple(position.rank for _, position in positions),
        tied=tuple(position.tied for _, position in positions),
        scores={name: tuple(shown.standing.scores.get(name) for shown in ordered) for name in score_type.names},
        submissions=tuple(shown.standing.submissions for shown in ordered),
        at=tuple(int(time_of(shown.standing.submission).timestamp() * 1000) for shown in ordered),
        submission=tuple(shown.standing.submission for shown in ordered),
    )


def read_rows(rows: Rows) -> dict[str, ShownStanding]:
    """Return the standings that rows were made of, player → standing."""
    standings = {}
    for index, player in enumerate(rows.player):
        scores = {name: column[index] for name, column in rows.scores.items()}
        standings[player] = ShownStanding(
            Player(id=player, name=rows.name[index], kind=rows.kind[index], verified=rows.verified[index]),
            Standing(
                scores={name: score for name, score in scores.items() if score is not None},
                submission=rows.submission[index],
                submissions=rows.submissions[index],
            ),
            (),
        )
    return standings


def cut_rows(rows: Rows, length: int) -> Rows:
    """Return the first rows."""
    columns = {name: getattr(rows, name)[:length] for name in Rows.model_fields if name != "scores"}
    return Rows(**columns, scores={name: column[:length] for name, column in rows.scores.items()})


def make_head(
    published: PublishedBenchmark,
    rows: Rows,
    improvements: tuple[Step, ...],
    *,
    rows_url: str,
    sequence: int,
    generated_at: datetime,
    stale_files: Sequence[StaleFile],
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
        revision=published.revision,
        sequence=sequence,
        generated_at=generated_at,
        total=len(rows.player),
        counts=Counts(players=len(rows.player), submissions=sum(rows.submissions)),
        metrics=tuple(_make_metric(metric, definition.ranking) for metric in definition.score_type.headers),
        rows=rows,
        rows_url=rows_url,
        histogram={
            name: histogram
            for name, column in rows.scores.items()
            if (histogram := count_values([value for value in column if value is not None])) is not None
        },
        best_over_time=improvements,
        records=len(improvements),
        replaced=tuple(stale_files),
    )


def count_values(values: Sequence[float]) -> Histogram | None:
    """Count values in equal bins; None without values."""
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


def trim_head(head: Head) -> Head:
    """Return the head in the largest size within MAX_HEAD_BYTES, or the smallest."""
    index = bisect_left(SIZES, True, key=lambda size: measure_head(_cut(head, size)) <= MAX_HEAD_BYTES)  # noqa: FBT003  # the value to find
    return _cut(head, SIZES[min(index, len(SIZES) - 1)])


def measure_head(head: Head) -> int:
    """Return the size of a head as it is transferred, in bytes."""
    return len(gzip.compress(head.model_dump_json().encode(), compresslevel=6, mtime=0))


def join_improvements(standings: Iterable[ShownStanding], direction: Direction) -> tuple[Step, ...]:
    """Return the improvements of a board from all its standings."""
    return _keep_leading((step for standing in standings for step in _steps_of(standing)), direction)


def update_improvements(
    shown: Sequence[Step], changed: Mapping[str, ShownStanding], *, players: Collection[str], direction: Direction
) -> tuple[Step, ...] | None:
    """Return the improvements after some standings have changed; None if all standings must be read."""
    others = [step for step in shown if step[2] not in players]
    improvements = _keep_leading(
        [*others, *(step for standing in changed.values() for step in _steps_of(standing))], direction
    )
    replaced = [step for step in shown if step[2] in players]
    if all(any(_dominates(step, old, direction) for step in improvements) for old in replaced):
        return improvements
    return None


def _cut(head: Head, size: HeadSize) -> Head:
    return head.model_copy(
        update={
            "rows": cut_rows(head.rows, size.rows),
            "best_over_time": downsample(head.best_over_time, size.records),
            "description": cut_markdown(head.description, max_bytes=size.description, note=CUT),
        }
    )


def _make_metric(metric: MetricType, ranking: Ranking) -> Metric:
    return Metric(
        id=metric.name,
        label=metric.label or metric.name,
        unit=metric.unit,
        direction=metric.direction,
        decimals=metric.decimals,
        help=metric.help,
        primary=metric.name == ranking.by[0],
    )


def _steps_of(shown: ShownStanding) -> Iterable[Step]:
    for submission, value in shown.improvements:
        yield int(time_of(submission).timestamp() * 1000), value, shown.player.id, submission


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
    return step[3], step[2]
