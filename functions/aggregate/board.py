"""What a board shows, computed from its standings: order, ranks, histograms, the text of its rule. Pure."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from scoring_core.benchmarks.definition import Combine, Keep, Ranking
from scoring_core.metrics.score_type import Direction, MetricType, ScoreType
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


def order_rows(standings: Collection[PlayerStanding], *, ranking: Ranking, score_type: ScoreType) -> Rows:
    """Give the rows of a board, in rank order, at full precision."""
    by_player = {one.player.id: one for one in standings}
    keys = {
        player: (rank_key(one.standing.scores, ranking=ranking, score_type=score_type), one.standing.submission)
        for player, one in by_player.items()
    }
    ordered = [(by_player[player], place) for player, place in order_players(keys)]
    return Rows(
        player=tuple(one.player.id for one, _ in ordered),
        name=tuple(one.player.name for one, _ in ordered),
        kind=tuple(one.player.kind for one, _ in ordered),
        verified=tuple(one.player.verified for one, _ in ordered),
        rank=tuple(place.rank for _, place in ordered),
        tied=tuple(place.tied for _, place in ordered),
        scores={name: tuple(one.standing.scores.get(name) for one, _ in ordered) for name in score_type.names},
        submissions=tuple(one.standing.submissions for one, _ in ordered),
        at=tuple(int(time_of(one.standing.submission).timestamp() * 1000) for one, _ in ordered),
        submission=tuple(one.standing.submission for one, _ in ordered),
    )


def read_rows(rows: Rows) -> dict[str, PlayerStanding]:
    """Give the standings that rows were made of, player id → standing."""
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
    """Give the first rows."""
    columns = {name: getattr(rows, name)[:length] for name in Rows.model_fields if name != "scores"}
    return Rows(**columns, scores={name: column[:length] for name, column in rows.scores.items()})


def compare_rows(rows: Rows, ranks: Mapping[str, int] | None) -> Rows:
    """Give the rows with their deltas: how many ranks each player has climbed since.

    Args:
        rows: As they are now.
        ranks: Player → rank then; None: there is nothing to compare with.
    """
    if ranks is None:
        return rows.model_copy(update={"delta": ()})
    deltas = (ranks[player] - rank if player in ranks else None for player, rank in _ranks(rows))
    return rows.model_copy(update={"delta": tuple(deltas)})


def read_ranks(rows: Rows) -> dict[str, int]:
    """Give player → rank."""
    return dict(_ranks(rows))


def make_head(
    published: PublishedBenchmark,
    rows: Rows,
    *,
    revision: int,
    records: Sequence[Step],
    removed: Sequence[WithdrawalNotices],
    baseline: Baseline | None,
    rows_url: str,
    sequence: int,
    generated_at: datetime,
    replaced: Sequence[StaleRowsFile],
) -> Head:
    """Give the head of a board, with all rows, records and removals: `fit_head` makes it small."""
    definition = published.definition
    return Head(
        id=published.id,
        title=definition.title,
        summary=definition.summary,
        tags=definition.tags,
        description=published.description,
        version=published.version,
        revision=revision,
        sequence=sequence,
        generated_at=generated_at,
        opens=definition.opens,
        closes=definition.closes,
        total=len(rows.player),
        counts=Counts(players=len(rows.player), submissions=sum(rows.submissions)),
        metrics=tuple(_metric(header, definition.ranking) for header in definition.score_type.headers),
        rank_rule=describe_ranking(definition.ranking, definition.score_type, parts=len(published.parts)),
        rows=rows,
        rows_url=rows_url,
        histogram={
            name: histogram
            for name, column in rows.scores.items()
            if (histogram := count_values([value for value in column if value is not None])) is not None
        },
        best_over_time=tuple(records),
        records=len(records),
        baseline=baseline,
        removed=tuple(removed),
        replaced=tuple(replaced),
    )


def make_index_entry(head: Head, published: PublishedBenchmark) -> IndexEntry:
    """Give the card of a board."""
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
    """Count values in equal bins; the last bin holds its upper end. None where there are no values.

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
    """Say in one sentence who leads.

    Args:
        ranking: The rule.
        score_type: The columns.
        parts: How many parts the benchmark has.
    """
    kept = {
        Keep.BEST: "the best submission",
        Keep.LATEST: "the latest submission",
        Keep.MEAN: "the mean of all submissions",
        Keep.SUM: "the sum of all submissions",
    }[ranking.keep]
    where = {Combine.SUM: "added up", Combine.MEAN: "averaged"}[ranking.combine]
    over = f" for each of {parts} parts, {where}," if parts else ""
    columns = [
        f"{header.label or header.name} ({'higher' if header.direction is Direction.HIGHER else 'lower'} is better)"
        for header in map(score_type.header, ranking.by)
    ]
    return f"Of each player {kept}{over} counts; ranked by {', then '.join(columns)}. Equal values share a rank."


def _ranks(rows: Rows) -> Iterator[tuple[str, int]]:
    return zip(rows.player, rows.rank, strict=True)


def _metric(header: MetricType, ranking: Ranking) -> Metric:
    return Metric(
        id=header.name,
        label=header.label or header.name,
        unit=header.unit,
        direction=header.direction,
        decimals=header.decimals,
        help=header.help,
        primary=header.name == ranking.by[0],
    )
