"""What a standing rests on, kept so that one submission more or less costs the same whatever came before.

Tests define what comes out by the whole history; `Accumulator` has the same without it.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

from scoring_core.benchmarks.definition import Keep, Ranking, Unfinished
from scoring_core.metrics.score_type import Direction, ScoreType
from scoring_core.ranking.exact_sums import ExactSum
from scoring_core.ranking.improvement_lists import ImprovementList, pack_id, unpack_id, write_json
from scoring_core.ranking.standings import (
    NO_PART,
    PlaceKey,
    RankOrder,
    Standing,
    combine_parts,
    name_public,
    read_public,
)
from scoring_core.scorers.base import Scores

type PartScores = Mapping[str, Scores]
"""Part → the scores of one submission; NO_PART if the benchmark has no parts."""


@dataclass(frozen=True)
class FoldingRules:
    """How submissions become a standing.

    Args:
        ranking: `keep` applies to each part, `combine` over the parts.
        score_type: The metrics.
        parts: The declared parts; empty if the benchmark has none.
        with_improvements: Whether improvements are wanted. Without them submissions may come in any order and be taken
            away at the same cost, also from sums and means.
        counts_only: Whether submissions are only counted: there is no standing. The ranking then does not matter.
    """

    ranking: Ranking
    score_type: ScoreType
    parts: Sequence[str] = ()
    with_improvements: bool = True
    counts_only: bool = False

    @cached_property
    def counted(self) -> frozenset[str]:
        """The parts that count; NO_PART is of rows of an earlier board."""
        return frozenset((*self.parts, NO_PART))

    @cached_property
    def digest(self) -> str:
        """The digest of what an accumulator depends on; another needs another fold."""
        if self.counts_only:
            return _digest(["count", sorted(self.parts or (NO_PART,))])
        metrics = [(metric.name, metric.direction.value) for metric in self.score_type.headers]
        ranking = [self.ranking.keep.value, self.ranking.combine.value, self.ranking.by]
        if self.ranking.unfinished is Unfinished.BELOW:
            ranking.append(self.ranking.unfinished.value)  # it decides what is an improvement
        return _digest([metrics, ranking, sorted(self.parts or (NO_PART,)), self.with_improvements])

    @cached_property
    def kept_names(self) -> tuple[str, ...]:
        """What a part keeps: the metrics, and in a final also the public scores."""
        names = self.score_type.names
        return (*names, *name_public(dict.fromkeys(names, 0))) if self.ranking.keep is Keep.BEST_PUBLIC else names

    @property
    def primary_direction(self) -> Direction:
        """The direction of the primary metric."""
        return self.score_type.metric(self.ranking.by[0]).direction

    @property
    def adds_up(self) -> bool:
        """Return whether a part keeps the sums of all submissions."""
        return self.ranking.keep in {Keep.SUM, Keep.MEAN}

    @property
    def is_value_of_one_submission(self) -> bool:
        """Return whether each primary value is that of one submission alone."""
        return not self.parts and self.ranking.keep in {Keep.BEST, Keep.LATEST}


class ScoredSubmission(NamedTuple):
    """A submission and its scores; those of undeclared parts are ignored."""

    id: str
    scores: PartScores


class KeptScores(NamedTuple):
    """The scores that a part keeps under `best` and `latest`, and whose they are.

    `values` are in the order of `kept_names`; None is absent.
    """

    submission: str
    values: tuple[int | float | None, ...]


class KeptSums(NamedTuple):
    """What a part keeps under `sum` and `mean`: the last submission, how many, and the sum of each metric."""

    submission: str
    tries: int
    sums: tuple[ExactSum, ...]


type Kept = KeptScores | KeptSums


@dataclass(frozen=True, slots=True)
class Accumulator:
    """What a player's standing and improvements rest on.

    `add` and `remove` return None if what is kept does not suffice: fold all submissions then.

    Args:
        submissions: How many submissions count.
        latest: The latest submission that ever counted.
        parts: Part → what is kept of it, of those that were tried.
        improvements: Those of the player; none unless the rules want them.
    """

    submissions: int = 0
    latest: str = ""
    parts: Mapping[str, Kept] = field(default_factory=dict)
    improvements: ImprovementList = field(default_factory=ImprovementList)

    def add(self, submission: ScoredSubmission, rules: FoldingRules) -> Self | None:
        """Return the accumulator with one submission more, or None.

        The submission must not be counted yet.
        """
        counted = _list_counted(submission, rules)
        if not counted:
            return self
        if rules.counts_only:
            return replace(self, submissions=self.submissions + 1)
        parts = {**self.parts}
        for part, scores in counted.items():
            parts[part] = _add(self.parts.get(part), submission.id, scores, rules)
        after = replace(self, submissions=self.submissions + 1, latest=max(self.latest, submission.id), parts=parts)
        improvements = self._add_improvement(submission.id, counted, after, rules)
        return None if improvements is None else replace(after, improvements=improvements)

    def remove(self, submission: ScoredSubmission, rules: FoldingRules) -> Self | None:
        """Return the accumulator with one submission less, or None.

        The submission must be counted, with these scores. If it is not, what comes out is wrong, but no error: a fold
        that read an entry after its standing notices it when it writes.
        """
        counted = _list_counted(submission, rules)
        if not counted:
            return self
        if rules.counts_only:
            return replace(self, submissions=self.submissions - 1) if self.submissions else None
        parts = {**self.parts}
        for part, scores in counted.items():
            rest = _remove(self.parts.get(part), submission.id, scores, rules)
            if rest is None:
                return None
            parts[part] = rest
        improvements = self._remove_improvement(submission.id, counted, rules)
        if improvements is None:
            return None
        return replace(self, submissions=self.submissions - 1, parts=parts, improvements=improvements)

    def read_standing(self, rules: FoldingRules) -> Standing | None:
        """Return the standing; None if nothing counts."""
        if not self.parts:
            return None
        return Standing(
            scores=self._combine(rules),
            submission=max(kept.submission for kept in self.parts.values()),
            submissions=self.submissions,
            done=self.count_done(rules) if rules.parts else None,
            parts=self.read_parts(rules),
        )

    def read_parts(self, rules: FoldingRules) -> dict[str, Scores]:
        """Return the kept scores of the declared parts that are done, in their order."""
        kept = {part: _read_scores(self.parts[part], rules) for part in rules.parts if part in self.parts}
        names = rules.score_type.names
        return {part: {name: scores[name] for name in names if name in scores} for part, scores in kept.items()}

    def list_counting(self) -> frozenset[str] | None:
        """Return the submissions whose scores are kept, one for each part.

        None if sums or means of all are.
        """
        kept = self.parts.values()
        return None if any(isinstance(each, KeptSums) for each in kept) else frozenset(each.submission for each in kept)

    def to_json(self) -> str:
        """Return everything but the improvements, compactly."""
        parts = {part: _write_kept(kept) for part, kept in self.parts.items()}
        return write_json([self.submissions, pack_id(self.latest), parts])

    @classmethod
    def from_json(cls, text: str, improvements: ImprovementList, rules: FoldingRules) -> Self:
        """Read what `to_json` returned under rules of the same digest."""
        submissions, latest, parts = json.loads(text)
        read = {part: _read_kept(kept, rules) for part, kept in parts.items()}
        return cls(submissions, unpack_id(latest), read, improvements)

    def _find_primary(self, rules: FoldingRules) -> int | float | None:
        """Return the combined primary value, if it may be the best of a board."""
        if rules.ranking.unfinished is Unfinished.BELOW and self.count_done(rules) < len(rules.parts):
            return None
        return self._combine(rules).get(rules.ranking.by[0])

    def count_done(self, rules: FoldingRules) -> int:
        """Return how many parts are done: all in a row of an earlier board."""
        return len(rules.parts) if NO_PART in self.parts else len(self.parts)

    def _combine(self, rules: FoldingRules) -> Scores:
        scores = {part: _read_scores(kept, rules) for part, kept in self.parts.items()}
        return combine_parts(scores, ranking=rules.ranking, score_type=rules.score_type, parts=rules.parts)

    def _add_improvement(
        self, submission: str, counted: PartScores, after: Self, rules: FoldingRules
    ) -> ImprovementList | None:
        if not rules.with_improvements:
            return self.improvements
        primary, direction = rules.ranking.by[0], rules.primary_direction
        if rules.is_value_of_one_submission:
            return self.improvements.insert(submission, counted[NO_PART].get(primary), direction)
        if submission > self.latest:
            return self.improvements.append(submission, after._find_primary(rules), direction)
        return self.improvements if after._is_beaten(submission, counted, rules) else None

    def _remove_improvement(self, submission: str, counted: PartScores, rules: FoldingRules) -> ImprovementList | None:
        if not rules.with_improvements:
            return self.improvements
        if rules.is_value_of_one_submission:
            value = counted[NO_PART].get(rules.ranking.by[0])
            return self.improvements.remove(submission, value, rules.primary_direction)
        return self.improvements if self._is_beaten(submission, counted, rules) else None

    def _is_beaten(self, submission: str, parts: Collection[str], rules: FoldingRules) -> bool:
        """Return whether an earlier submission is kept as the best of each of these parts.

        What comes later then never was an improvement of them.
        """
        kept = [self.parts[part].submission for part in parts if part in self.parts]
        return rules.ranking.keep is Keep.BEST and len(kept) == len(parts) and max(kept) < submission


def fold_submissions(submissions: Iterable[ScoredSubmission], rules: FoldingRules) -> Accumulator:
    """Return the accumulator of all submissions of a player, each once, in any order."""
    accumulator = Accumulator()
    # What is only counted is not held in memory: of guests without a name there may be very many submissions.
    ordered = submissions if rules.counts_only else sorted(submissions, key=lambda submission: submission.id)
    for submission in ordered:
        after = accumulator.add(submission, rules)
        assert after is not None, "in order of submission there is always enough"  # noqa: S101
        accumulator = after
    return accumulator


def fold_standing(submissions: Iterable[ScoredSubmission], rules: FoldingRules) -> Standing | None:
    """Return the standing of all submissions of a player, each once, in any order.

    None if nothing counts.
    """
    return fold_submissions(submissions, replace(rules, with_improvements=False)).read_standing(rules)


def _digest(rules: list[Any]) -> str:
    return hashlib.sha256(json.dumps(rules).encode()).hexdigest()[:16]


def _list_counted(submission: ScoredSubmission, rules: FoldingRules) -> PartScores:
    return {part: scores for part, scores in submission.scores.items() if part in rules.counted}


def _add(kept: Kept | None, submission: str, scores: Scores, rules: FoldingRules) -> Kept:
    """Return what a part keeps with a try more."""
    if rules.adds_up:
        before = kept if isinstance(kept, KeptSums) else KeptSums("", 0, (ExactSum(),) * len(rules.score_type.names))
        values = _list_values(scores, rules)
        sums = (total if value is None else total.add(value) for total, value in zip(before.sums, values, strict=True))
        return KeptSums(max(before.submission, submission), before.tries + 1, tuple(sums))
    if isinstance(kept, KeptScores):
        if rules.ranking.keep is Keep.LATEST:
            is_kept = submission < kept.submission
        else:
            before_key = (_rank(_read_scores(kept, rules), rules), kept.submission)
            is_kept = before_key < (_rank(scores, rules), submission)
        if is_kept:
            return kept
    return KeptScores(submission, _list_values(scores, rules))


def _remove(kept: Kept | None, submission: str, scores: Scores, rules: FoldingRules) -> Kept | None:
    """Return what a part keeps with a try less; None if that cannot be known."""
    if kept is None or kept.submission == submission:
        return None
    if isinstance(kept, KeptScores):
        return kept
    values = _list_values(scores, rules)
    sums = tuple(
        total if value is None else total.take_away(value) for total, value in zip(kept.sums, values, strict=True)
    )
    return KeptSums(kept.submission, kept.tries - 1, sums) if all(total.is_possible for total in sums) else None


def _read_scores(kept: Kept, rules: FoldingRules) -> Scores:
    """Return the kept scores of a part."""
    names = rules.kept_names
    if isinstance(kept, KeptScores):
        return {name: value for name, value in zip(names, kept.values, strict=True) if value is not None}
    count = kept.tries if rules.ranking.keep is Keep.MEAN else 1
    return {name: total.round(count) for name, total in zip(names, kept.sums, strict=True) if total.terms == kept.tries}


def _list_values(scores: Scores, rules: FoldingRules) -> tuple[int | float | None, ...]:
    return tuple(scores.get(name) for name in rules.kept_names)


def _rank(scores: Scores, rules: FoldingRules) -> PlaceKey:
    compared = read_public(scores) if rules.ranking.keep is Keep.BEST_PUBLIC else scores
    return RankOrder.of(rules.ranking, rules.score_type).key(compared)


def _write_kept(kept: Kept) -> list[Any]:
    if isinstance(kept, KeptScores):
        return [pack_id(kept.submission), *kept.values]
    return [pack_id(kept.submission), kept.tries, *kept.sums]


def _read_kept(stored: list[Any], rules: FoldingRules) -> Kept:
    submission, *values = stored
    if rules.adds_up:
        tries, *sums = values
        return KeptSums(unpack_id(submission), tries, tuple(ExactSum(*total) for total in sums))
    return KeptScores(unpack_id(submission), tuple(values))
