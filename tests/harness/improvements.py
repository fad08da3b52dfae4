"""Improvements from a player's whole history: what `Accumulator`, which has no history, must come out with."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby

from scoring_core.benchmarks.definition import Keep, Ranking
from scoring_core.metrics.score_type import Direction, ScoreType
from scoring_core.ranking.improvement_lists import Improvements, is_better, thin
from scoring_core.ranking.standings import NO_PART, Contribution, combine_parts, is_comparable


def find_improvements(
    contributions: Iterable[Contribution], *, ranking: Ranking, score_type: ScoreType, parts: Sequence[str]
) -> Improvements:
    """Return a player's improvements.

    They follow from the contributions alone: the order of delivery, repeats and rebuilds change nothing. Where the
    unfinished stand below, there is none before all parts are done.

    Args:
        contributions: In any order, each (submission, part) once.
        ranking: Its first metric is the primary one.
        score_type: The metrics.
        parts: The declared parts; empty if the benchmark has none.

    Returns:
        At most MAX_IMPROVEMENTS, the first and the last among them.
    """
    primary = ranking.by[0]
    direction = score_type.metric(primary).direction
    kept = {part: _KeptValue(ranking.keep, direction) for part in parts or (NO_PART,)}
    improvements: list[tuple[str, int | float]] = []
    counted = [contribution for contribution in contributions if contribution.part in kept]
    counted.sort(key=lambda contribution: contribution.submission)
    tried: set[str] = set()
    for submission, group in groupby(counted, key=lambda contribution: contribution.submission):
        for contribution in group:
            kept[contribution.part].add(contribution.scores.get(primary))
            tried.add(contribution.part)
        if not is_comparable(len(tried), ranking=ranking, parts=parts):
            continue
        scores = {part: {} if (value := kept[part].value()) is None else {primary: value} for part in tried}
        after = combine_parts(scores, ranking=ranking, score_type=score_type, parts=parts).get(primary)
        if after is not None and (not improvements or is_better(after, improvements[-1][1], direction)):
            improvements.append((submission, after))
    return thin(improvements)


class _KeptValue:
    """The primary value of one part, as `fold_standing` would keep it after each try, in constant time each."""

    def __init__(self, keep: Keep, direction: Direction) -> None:
        self._keep = keep
        self._direction = direction
        self._value: int | float | None = None
        self._total = Fraction(0)  # exact, as math.fsum is
        self._tries = 0
        self._is_complete = True
        self._all_int = True

    def add(self, value: float | None) -> None:
        """Add the value of the next try, None if it has none."""
        self._tries += 1
        if self._keep is Keep.LATEST:
            self._value = value
        elif value is None:
            self._is_complete = False
        elif self._keep is Keep.BEST:
            if self._value is None or is_better(value, self._value, self._direction):
                self._value = value
        else:
            self._all_int = self._all_int and isinstance(value, int)
            self._total += Fraction(value)
            self._value = value

    def value(self) -> int | float | None:
        """Return the kept value; None if it is absent."""
        if self._keep in {Keep.BEST, Keep.LATEST}:
            return self._value
        if not self._is_complete:
            return None
        if self._tries == 1:
            return self._value
        total = self._sum()
        return total if total is None or self._keep is Keep.SUM else total / self._tries

    def _sum(self) -> int | float | None:
        if self._all_int:
            return int(self._total)
        try:
            return float(self._total)
        except OverflowError:
            return None
