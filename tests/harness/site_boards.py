"""Boards of `coins` that are written to the site bucket, of any size, without a submission."""

from collections.abc import Sequence
from typing import Any

from aggregate.paging import Sizes
from scoring_core.benchmarks.boards import MAIN
from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.standings import RankOrder
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import Head, Metric
from storage.boards.pages import Row
from storage.boards.standings import Columns
from storage.keys import make_submission_id
from tests.harness.built_boards import build
from tests.harness.clock import START
from tests.harness.stack import StackHarness
from tests.unit.heads import make_head_of, rank_by

ORDER = RankOrder((("Coins", Direction.HIGHER), ("Time", Direction.LOWER)))
SMALL = Sizes(head=5, page=7, bucket=20)


def make_row(number: int, coins: int | None, name: str | None = None, label: str | None = None) -> Row:
    """Make a row; the number is the player's."""
    scores = {"Time": number / 2} if coins is None else {"Coins": coins, "Time": number / 2}
    submission = make_submission_id(START, number.to_bytes(10))
    return Row(f"p{number}", name or f"Player {number}", "human", number > 2, label, scores, number + 1, submission)


def store_board(
    stack: StackHarness,
    published: PublishedBenchmark,
    rows: Sequence[Row],
    *,
    board: str = MAIN,
    order: RankOrder = ORDER,
    sizes: Sizes = SMALL,
    **changes: Any,
) -> Head:
    """Write a board of these rows to the site, as a publishing does."""
    has_labels = any(row.label is not None for row in rows)
    built = build(rows, Columns(order, ("Coins", "Time"), has_labels=has_labels), sequence=3, sizes=sizes)
    metrics = [
        Metric(
            id=metric.name,
            label=metric.name,
            unit=metric.unit,
            direction=metric.direction,
            decimals=metric.decimals,
            help=None,
            primary=metric.name == order.by[0][0],
        )
        for metric in published.definition.score_type.headers
    ]
    head = make_head_of([]).model_copy(
        update={
            "id": published.id,
            "version": published.version,
            "board": board,
            "sequence": 3,
            "metrics": tuple(metrics),
            "ranking": rank_by(order.by, has_labels=has_labels),
            "rows": built.rows,
            "pages": built.pages,
            "total": built.total,
            "counts": built.counts,
            **changes,
        }
    )
    for name, body in built.objects.items():
        stack.cloud.s3.put_object(Bucket=stack.site_bucket, Key=head.folder + name, Body=body)
    stack.cloud.s3.put_object(
        Bucket=stack.site_bucket, Key=f"{head.folder}head.json", Body=head.model_dump_json().encode()
    )
    return head
