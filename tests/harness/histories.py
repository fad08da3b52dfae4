"""Standings and improvements by their definition, from a whole history: what `Accumulator`, without one, returns."""

from collections.abc import Collection, Sequence

from scoring_core.benchmarks.definition import Combine, Keep, Ranking, Unfinished
from scoring_core.ranking.accumulators import FoldingRules, ScoredSubmission
from scoring_core.ranking.improvement_lists import Improvements, is_better, list_kept
from scoring_core.ranking.standings import NO_PART, RankOrder, Standing, combine_parts, read_public
from scoring_core.scorers.base import Scores


def define_standing(submissions: Collection[ScoredSubmission], rules: FoldingRules) -> Standing | None:
    """Return the standing of submissions in any order, each once; scores of undeclared parts are ignored."""
    tries = {
        part: {each.id: each.scores[part] for each in submissions if part in each.scores} for part in rules.counted
    }
    kept = {part: _keep(own, rules) for part, own in tries.items() if own}
    if not kept:
        return None
    names, parts = rules.score_type.names, {part: kept[part][0] for part in rules.parts if part in kept}
    scores = {part: own for part, (own, _) in kept.items()}
    return Standing(
        scores=combine_parts(scores, ranking=rules.ranking, score_type=rules.score_type, parts=rules.parts),
        submission=max(last for _, last in kept.values()),
        submissions=len({submission for own in tries.values() for submission in own}),
        done=(len(rules.parts) if NO_PART in kept else len(kept)) if rules.parts else None,
        parts={part: {name: own[name] for name in names if name in own} for part, own in parts.items()},
    )


def _keep(tries: dict[str, Scores], rules: FoldingRules) -> tuple[Scores, str]:
    """Return the kept scores of one part, and the last submission that they rest on."""
    ranking, last = rules.ranking, max(tries)
    match ranking.keep:
        case Keep.BEST | Keep.BEST_PUBLIC as keep:
            order, read = RankOrder.of(ranking, rules.score_type), read_public if keep is Keep.BEST_PUBLIC else dict
            best = min(tries, key=lambda submission: (order.key(read(tries[submission])), submission))
            return tries[best], best
        case Keep.LATEST:
            return tries[last], last
        case Keep.MEAN | Keep.SUM as keep:  # as parts are combined, if each try were one
            as_parts = Ranking(combine=Combine(keep), by=ranking.by)
            return combine_parts(tries, ranking=as_parts, score_type=rules.score_type, parts=[*tries]), last


def find_improvements(submissions: Sequence[ScoredSubmission], rules: FoldingRules) -> Improvements:
    """Return the submissions, in any order, after which a standing was better than ever, with its primary value then.

    Where the unfinished stand below, they do not improve. There are at most MAX_IMPROVEMENTS, the first and the last
    among them.
    """
    least = len(rules.parts) if rules.ranking.unfinished is Unfinished.BELOW else 0
    ordered, improvements = sorted(submissions), list[tuple[str, int | float]]()
    for count, submission in enumerate(ordered, 1):
        standing = define_standing(ordered[:count], rules)
        if standing is None or (standing.done or 0) < least:
            continue
        value = standing.scores.get(rules.ranking.by[0])
        if value is not None and (not improvements or is_better(value, improvements[-1][1], rules.primary_direction)):
            improvements.append((submission.id, value))
    return tuple(improvements[ordinal] for ordinal in list_kept(len(improvements)))
