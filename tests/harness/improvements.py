"""Improvements by their definition, from a player's whole history: what `Accumulator`, which has none, must return."""

from collections.abc import Iterable, Sequence

from scoring_core.benchmarks.definition import Ranking
from scoring_core.metrics.score_type import ScoreType
from scoring_core.ranking.improvement_lists import Improvements, is_better, list_kept
from scoring_core.ranking.standings import Contribution, fold_standing, is_comparable


def find_improvements(
    contributions: Iterable[Contribution], *, ranking: Ranking, score_type: ScoreType, parts: Sequence[str]
) -> Improvements:
    """Return the submissions after which a player's standing was better than ever, with its primary value then.

    Args:
        contributions: In any order, each (submission, part) once.
        ranking: Its first metric is the primary one; where the unfinished stand below, they do not improve.
        score_type: The metrics.
        parts: The declared parts; empty if the benchmark has none.

    Returns:
        At most MAX_IMPROVEMENTS, the first and the last among them.
    """
    primary = ranking.by[0]
    direction = score_type.metric(primary).direction
    ordered = sorted(contributions, key=lambda contribution: contribution.submission)
    improvements: list[tuple[str, int | float]] = []
    for submission in dict.fromkeys(contribution.submission for contribution in ordered):
        so_far = [contribution for contribution in ordered if contribution.submission <= submission]
        standing = fold_standing(so_far, score_type=score_type, ranking=ranking, parts=parts)
        if standing is None or not is_comparable(standing.done or 0, ranking=ranking, parts=parts):
            continue
        value = standing.scores.get(primary)
        if value is not None and (not improvements or is_better(value, improvements[-1][1], direction)):
            improvements.append((submission, value))
    return tuple(improvements[ordinal] for ordinal in list_kept(len(improvements)))
