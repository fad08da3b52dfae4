"""What a submission brought its player: the best before and after it, and the rank on the board of its part."""

from handlers.http.dependencies import HttpServices
from handlers.http.submission_views import PartRank, PersonalBest
from scoring_core.benchmarks.definition import Keep
from scoring_core.ranking.accumulators import FoldingRules, PartScores, ScoredSubmission, fold_standing
from scoring_core.ranking.part_columns import DONE
from scoring_core.ranking.standings import NO_PART, RankOrder, Standing, combine_parts
from scoring_core.scorers.base import Scores
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.published import PublishedBoard
from storage.boards.standings import BoardKey
from storage.gateway.errors import StoreError
from storage.keys import time_of
from storage.submissions.models import NAMELESS, Submission, SubmissionRecord

MAX_EARLIER = 500
"""So many earlier submissions of a player are read for the best before one."""


def find_best(http: HttpServices, record: SubmissionRecord) -> PersonalBest | None:
    """Return the best before and after a submission.

    None if the benchmark does not keep the best, or if too many submissions were before, which may lack what was
    recorded a moment before it.
    """
    published = _find_ranked(http, record)
    if published is None or published.definition.ranking.keep is not Keep.BEST:
        return None
    counted, rules = _list_earlier(http, published, record.submission), published.boards[0].board.rules
    standing = fold_standing(counted, rules) if counted else None
    before = (standing.parts if rules.parts else {NO_PART: standing.scores}) if standing else {}
    return None if counted is None else compare_best(record, before, rules)


def find_row_before(http: HttpServices, record: SubmissionRecord) -> Scores | None:
    """Return the columns of the row on the main board before a submission.

    None if there was none, or if too many submissions were before.
    """
    published = _find_ranked(http, record)
    earlier = _list_earlier(http, published, record.submission) if published else None
    standing = fold_standing(earlier, published.boards[0].board.rules) if published and earlier else None
    return {**standing.scores, DONE: standing.done or 0} if standing else None


def is_ranked(http: HttpServices, record: SubmissionRecord, submissions: int) -> bool:
    """Return whether a row of the main board, of so many submissions, has a record.

    Until it does, the rank of a player who returns is one from before the submission.
    """
    published = _find_ranked(http, record)
    return published is not None and _is_shown(http, published.boards[0], record, submissions)


def find_part_rank(http: HttpServices, record: SubmissionRecord) -> PartRank | None:
    """Return the rank on the board of the one part that was scored.

    The board of everybody comes before that of a kind of players. None if there is no such board, if it cannot be read,
    or while it does not show all submissions that its standing holds. None of that may fail the answer: the submission
    is stored.
    """
    published, submission = _find_ranked(http, record), record.submission
    scored = tuple(evaluation.part for evaluation in record.evaluations)
    boards = (each for each in published.boards[1:] if each.board.parts == scored) if published else ()
    taking = (each for each in boards if each.takes(record))
    of_part = min(taking, key=lambda each: each.board.condition.kind is not None, default=None)
    if of_part is None:
        return None
    try:
        shown = http.boards.find(submission.benchmark, of_part.board.id, version=record.version)
        ranked = None if shown is None else shown.find_row(submission.player.id, submission.label or "")
        if shown is None or ranked is None or not _is_shown(http, of_part, record, ranked.row.submissions):
            return None
    except StoreError:
        return None
    return PartRank(board=of_part.board.id, rank=ranked.rank, players=shown.head.total)


def is_named(http: HttpServices, published: PublishedBenchmark, record: SubmissionRecord) -> bool:
    """Return whether a row of a shown board names the submission of a record."""
    submission, moment = record.submission, time_of(record.submission.id)
    instances = filter(None, (window.find_at(moment) for window in published.windows))
    for board in (*published.boards, *instances):
        shown = http.boards.find(published.id, board.board.id, version=record.version) if board.takes(record) else None
        ranked = None if shown is None else shown.find_row(submission.player.id, submission.label or "")
        if ranked is not None and ranked.row.submission == submission.id:
            return True
    return False


def _find_ranked(http: HttpServices, record: SubmissionRecord) -> PublishedBenchmark | None:
    """Return the benchmark whose boards show a record; None if none has a row of it."""
    submission = record.submission
    published = http.benchmarks.find(submission.benchmark)
    if published is None or published.version != record.version or submission.player.id in NAMELESS:
        return None
    return published


def _is_shown(http: HttpServices, published: PublishedBoard, record: SubmissionRecord, submissions: int) -> bool:
    """Return whether a row read before, of so many submissions, shows a record."""
    submission, version = record.submission, BoardKey(published.key.benchmark, published.key.version)
    # The entry is written with the standing that holds it: without it both may be from before.
    entries = list(http.entries.find_all(version, [(submission.player.id, submission.id)]))
    standing = _read_standing(http, published, submission) if any(entry.counts for entry in entries) else None
    return standing is not None and submissions >= standing.submissions


def _read_standing(http: HttpServices, published: PublishedBoard, submission: Submission) -> Standing | None:
    row_id = str(published.board.find_row(submission.player.id, submission.label))
    state = http.standings.read_board(published.key, [row_id], rules=published.board.rules)
    stored = state.standings.get(row_id)
    return stored and stored.standing


def _list_earlier(
    http: HttpServices, published: PublishedBenchmark, submission: Submission
) -> list[ScoredSubmission] | None:
    """Return what a row rested on before a submission; None if it is too much."""
    main = published.boards[0]
    row_id = str(main.board.find_row(submission.player.id, submission.label))
    version, player = BoardKey(published.id, published.version), submission.player.id
    entries = http.entries.list_latest(version, player, before=submission.id, length=MAX_EARLIER + 1)
    if len(entries) > MAX_EARLIER:
        return None
    return [entry.scored for entry in entries if entry.counts and main.find_row(entry) == row_id]


def compare_best(record: SubmissionRecord, before: PartScores, rules: FoldingRules) -> PersonalBest | None:
    """Return the best before and after a submission, of its part or of all.

    Args:
        record: A scored submission.
        before: Part → the best scores of the submissions before.
        rules: Those of the main board, which keeps the best.
    """
    own = {evaluation.part or NO_PART: evaluation.scores for evaluation in record.evaluations}
    own = {part: scores for part, scores in own.items() if part in rules.counted}
    key = RankOrder.of(rules.ranking, rules.score_type).key
    better = {part: scores for part, scores in own.items() if part not in before or key(scores) < key(before[part])}
    after = {**before, **better}
    if not own:
        return None
    if len(own) == 1:
        (part,) = own
        return PersonalBest(part=part or None, scores=after[part], before=before.get(part), is_new=bool(better))
    scores, scores_before = _combine(after, rules), _combine(before, rules) if before else None
    return PersonalBest(part=None, scores=scores, before=scores_before, is_new=bool(better))


def _combine(parts: PartScores, rules: FoldingRules) -> Scores:
    return combine_parts(parts, ranking=rules.ranking, score_type=rules.score_type, parts=rules.parts)
