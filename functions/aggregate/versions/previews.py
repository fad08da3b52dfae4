"""Previews: boards of what is not published, with the examples for players, at addresses that nobody can guess."""

from collections.abc import Sequence
from typing import Final

from aggregate.aggregator import Aggregator
from aggregate.board import describe_board, trim_head
from aggregate.paging import count_metrics, count_rows, rank_first_rows, show_rows
from scoring_core.benchmarks.examples import ExampleCheck
from scoring_core.benchmarks.terms import PREVIEW_PREFIX
from scoring_core.ranking.accumulators import FoldingRules, ScoredSubmission, fold_submissions
from scoring_core.ranking.standings import NO_PART
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.histograms import count_values
from storage.boards.models import Head
from storage.boards.pages import Row
from storage.boards.standings import Columns, PlayerStanding
from storage.ids import make_submission_id
from storage.submissions.models import Player, PlayerKind
from storage.urls import board_url

CODE_BYTES: Final = 16
MAX_ROWS: Final = 100


def write_preview(following: PublishedBenchmark, checks: Sequence[ExampleCheck], boards: Aggregator) -> str:
    """Write the main board of a benchmark and its page, and return the path.

    The site bucket deletes both after a week. Nothing names them: no index, list, feed or picture.

    Args:
        following: The pointer as publishing would leave it.
        checks: The examples; those that were scored are rows.
        boards: Has the stores.
    """
    following = following.next_version or following
    shown, now, randomness = following.boards[0], boards.renderer.clock(), boards.renderer.randomness
    columns = Columns.of(shown.board.rules)
    submission = make_submission_id(now, bytes(10))
    rows = [
        row
        for number, check in enumerate(checks)
        if (row := _read_row(check, f"example-{number}", submission, shown.board.rules)) is not None
    ]
    rows = sorted(rows, key=lambda row: row.place(columns.order))[:MAX_ROWS]
    described = describe_board(following, shown) | {
        "id": f"{PREVIEW_PREFIX}{randomness(CODE_BYTES).hex()}",
        "title": f"Preview: {following.definition.title}",
        "replays": None,
        "corrected_at": None,
    }
    head = trim_head(
        Head(
            **described,
            revision=0,
            sequence=1,
            generated_at=now,
            total=len(rows),
            counts=count_rows(rows),
            rows=show_rows(rank_first_rows(rows, columns.order, len(rows)), columns),
            histogram=count_metrics(rows, columns.metrics, count=count_values),
        )
    )
    head = head.model_copy(update={"total": len(head.rows.player)})
    boards.renderer.pages.write_preview(boards.snapshots.write_head(head, replacing=None))
    return board_url(head.id)


def _read_row(check: ExampleCheck, player: str, submission: str, rules: FoldingRules) -> Row | None:
    """Return an example as a player with one result; None if it has no score."""
    evaluations = check.judgement.evaluations if check.judgement else ()
    scores = {each.part or NO_PART: each.scores for each in evaluations}
    standing = fold_submissions([ScoredSubmission(submission, scores)], rules).read_standing(rules)
    if standing is None:
        return None
    named = Player(player, check.name, PlayerKind.HUMAN, verified=True)
    return Columns.of(rules).read_row(PlayerStanding(named, standing, label=""))
