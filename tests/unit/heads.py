"""Heads of boards for the tests of what is made from them."""

from collections.abc import Sequence
from datetime import UTC, datetime

from scoring_core.benchmarks.definition import Keep, RowKind
from scoring_core.metrics.score_type import Direction
from storage.boards.models import Counts, Head, HeadRanking, Metric, Rows
from storage.submissions.models import PlayerKind

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def rank_by(order: tuple[tuple[str, Direction], ...], *, has_labels: bool = False) -> HeadRanking:
    """Return the ranking of a board by these metrics."""
    return HeadRanking(rule="", keep=Keep.BEST, order=order, rows=RowKind.LABEL if has_labels else RowKind.PLAYER)


def make_head_of(  # what the tests vary
    names: Sequence[str],
    *,
    ranks: Sequence[int] | None = None,
    score: float = 1.0,
    title: str = "Coin Run",
    decimals: int | None = None,
    unit: str | None = None,
    verified: bool = True,
) -> Head:
    """Make the head of a board on which these players have the same score."""
    count = len(names)
    rows = Rows(
        player=tuple(f"p{index}" for index in range(count)),
        name=tuple(names),
        kind=(PlayerKind.HUMAN,) * count,
        verified=(verified,) * count,
        rank=tuple(ranks or range(1, count + 1)),
        tied=(False,) * count,
        scores={"Coins": (score,) * count},
        submissions=(1,) * count,
        at=(0,) * count,
        submission=("s",) * count,
    )
    metric = Metric(
        id="Coins", label="Coins", unit=unit, direction=Direction.HIGHER, decimals=decimals, help=None, primary=True
    )
    return Head(
        id="coin-run", title=title, summary="", tags=(), description="", version="0a", publish_number=1, sequence=1,
        generated_at=NOON, opens=None, closes=None, total=count, counts=Counts(players=count, submissions=count),
        metrics=(metric,), rows=rows,
        ranking=rank_by(((metric.id, metric.direction),)),
    )  # fmt: skip
