"""Accumulators against the folds of a whole history, which define what a standing and its improvements are."""

import json
import random
import sys
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from scoring_core.benchmarks.definition import Combine, Keep, Ranking, Unfinished
from scoring_core.metrics.score_type import ScoreType
from scoring_core.ranking.accumulators import Accumulator, FoldingRules, ScoredSubmission, fold_submissions
from scoring_core.ranking.exact_sums import ExactSum
from scoring_core.ranking.improvement_lists import MAX_IMPROVEMENTS, ImprovementList, pack_id, unpack_id
from scoring_core.ranking.standings import NO_PART, name_public
from tests.harness.histories import define_standing, find_improvements

COLUMNS = ScoreType.model_validate(
    {
        "headers": [
            {"name": "up", "type": "float"},
            {"name": "down", "type": "float", "direction": "lower"},
            {"name": "count", "type": "int"},
        ]
    }
)
HUGE = 1.7e308
FLOATS = st.one_of(
    st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, 5e-324, HUGE, -HUGE, 2.0**53, 1e16, -1e16]),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda value: value + 0.0),
)
INTEGERS = st.one_of(st.integers(-3, 3), st.integers(-(2**60), 2**60))
SCORES = st.fixed_dictionaries({}, optional={"up": FLOATS, "down": FLOATS, "count": INTEGERS})
RULES = st.builds(
    FoldingRules,
    ranking=st.builds(
        Ranking,
        keep=st.sampled_from(Keep),
        combine=st.sampled_from(Combine),
        unfinished=st.sampled_from(Unfinished),
        by=st.lists(st.sampled_from(COLUMNS.names), min_size=1, max_size=3, unique=True).map(tuple),
    ),
    score_type=st.just(COLUMNS),
    parts=st.sampled_from([(), ("a",), ("a", "b", "c")]),
    with_improvements=st.booleans(),
)


@st.composite
def histories(draw: st.DrawFn, *, max_size: int = 20) -> tuple[FoldingRules, list[ScoredSubmission]]:
    """Draw rules, and submissions in the order in which they come."""
    rules = draw(RULES)
    parts = st.dictionaries(st.sampled_from([*sorted(rules.counted), "undeclared"]), SCORES, min_size=1, max_size=3)
    scores = draw(st.lists(parts, max_size=max_size))
    submissions = [ScoredSubmission(f"s{number:03}", each) for number, each in enumerate(scores)]
    return rules, draw(st.permutations(submissions))


def expect(rules: FoldingRules, submissions: Sequence[ScoredSubmission]) -> str:
    """Return what the folds of the whole history return, to the last bit."""
    improvements = find_improvements(submissions, rules) if rules.with_improvements else ()
    return repr((define_standing(submissions, rules), improvements))


def read(accumulator: Accumulator, rules: FoldingRules) -> str:
    """Return the standing and the improvements, after they were stored and read."""
    improvements = ImprovementList.from_json(accumulator.improvements.to_json())
    stored = Accumulator.from_json(accumulator.to_json(), improvements, rules)
    assert stored == accumulator
    return repr((stored.read_standing(rules), improvements.kept))


@settings(max_examples=2 * settings().max_examples)
@given(history=histories(), data=st.data())
def test_submissions_added_and_removed_in_any_order(
    history: tuple[FoldingRules, list[ScoredSubmission]], data: st.DataObject
) -> None:
    """After each submission more or less, standing and improvements are those of the whole history."""
    rules, submissions = history
    accumulator, counted = Accumulator(), []
    for submission in submissions:
        counted.append(submission)
        accumulator = accumulator.add(submission, rules) or fold_submissions(counted, rules)
        assert read(accumulator, rules) == expect(rules, counted)
        if data.draw(st.integers(0, 3)) == 0:
            gone = counted.pop(data.draw(st.integers(0, len(counted) - 1)))
            accumulator = accumulator.remove(gone, rules) or fold_submissions(counted, rules)
            assert read(accumulator, rules) == expect(rules, counted)


@settings(deadline=None)
@given(history=histories())
def test_without_improvements_no_order_needs_the_history(
    history: tuple[FoldingRules, list[ScoredSubmission]],
) -> None:
    """Without improvements every submission can be added, in any order."""
    rules, submissions = history
    rules = FoldingRules(rules.ranking, rules.score_type, rules.parts, with_improvements=False)
    accumulator: Accumulator | None = Accumulator()

    for submission in submissions:
        assert accumulator is not None
        accumulator = accumulator.add(submission, rules)

    assert accumulator is not None
    assert read(accumulator, rules) == expect(rules, submissions)


@pytest.mark.parametrize("keep", Keep)
def test_removal_needs_the_history_only_of_what_counts(keep: Keep) -> None:
    """The kept scores, or the last submission of a sum, cannot be removed; anything else can."""
    rules = FoldingRules(Ranking(keep=keep, by=("up",)), COLUMNS, with_improvements=False)
    given = ({"up": value} | name_public({"up": value}) for value in (1.0, 3.0, 2.0))
    tries = [ScoredSubmission(f"s{index}", {NO_PART: scores}) for index, scores in enumerate(given)]
    accumulator = fold_submissions(tries, rules)

    removable = [each.id for each in tries if accumulator.remove(each, rules) is not None]

    assert removable == (["s0", "s2"] if keep in {Keep.BEST, Keep.BEST_PUBLIC} else ["s0", "s1"])


@settings(deadline=None)
@given(history=histories(), scores=SCORES)
@example(
    history=(
        FoldingRules(Ranking(keep=Keep.SUM, by=("up",)), COLUMNS, with_improvements=False),
        [ScoredSubmission("s9", {NO_PART: {"up": 0.5}})],
    ),
    scores={"up": 0.25},
)
def test_removal_of_what_does_not_count_is_no_error(
    history: tuple[FoldingRules, list[ScoredSubmission]], scores: dict[str, float]
) -> None:
    """A fold that read an entry too late takes it away all the same; only its write tells, so nothing may break."""
    rules, submissions = history
    accumulator: Accumulator | None = fold_submissions(submissions, rules)

    for _ in range(2):
        foreign = ScoredSubmission("s0", dict.fromkeys(rules.counted, scores))
        accumulator = accumulator and accumulator.remove(foreign, rules)
        if accumulator is not None:
            accumulator.read_standing(rules)
            accumulator = Accumulator.from_json(accumulator.to_json(), accumulator.improvements, rules)


@pytest.mark.parametrize("by", COLUMNS.names)
@pytest.mark.parametrize("keep", [Keep.BEST, Keep.LATEST])
@settings(max_examples=settings().max_examples // 5)
@given(seed=st.randoms(use_true_random=False))
def test_long_histories_are_thinned_alike(keep: Keep, by: str, seed: random.Random) -> None:
    """More improvements than are kept are thinned as the whole history is, also where some come late."""
    rules = FoldingRules(Ranking(keep=keep, by=(by,)), COLUMNS)
    total = seed.randrange(1, 4 * MAX_IMPROVEMENTS)
    rising = [{"up": index + seed.random(), "down": -index - seed.random(), "count": index} for index in range(total)]
    submissions = [ScoredSubmission(f"s{index:03}", {NO_PART: scores}) for index, scores in enumerate(rising)]
    haste = seed.choice((0, 3, 30))
    delivered = sorted(submissions, key=lambda each: int(each.id[1:]) + seed.uniform(0, haste))
    accumulator, counted = Accumulator(), []

    for submission in delivered:
        counted.append(submission)
        accumulator = accumulator.add(submission, rules) or fold_submissions(counted, rules)
        if seed.random() < 0.05:
            gone = counted.pop(seed.randrange(len(counted)))
            accumulator = accumulator.remove(gone, rules) or fold_submissions(counted, rules)

    assert read(accumulator, rules) == expect(rules, counted)


@pytest.mark.parametrize(("haste", "folded"), [(0, 0), (300, 1)])
def test_late_submission_that_was_no_improvement_needs_no_history(haste: int, folded: int) -> None:
    """Among thinned improvements only a late submission that may have been one needs the history."""
    rules = FoldingRules(Ranking(by=("count",)), COLUMNS)
    rising = [ScoredSubmission(f"s{index:03}", {NO_PART: {"count": index}}) for index in range(0, 400, 2)]
    accumulator = fold_submissions(rising, rules)

    late = ScoredSubmission("s301x", {NO_PART: {"count": haste + 2}})

    assert (accumulator.add(late, rules) is None) == bool(folded)


VALUES = st.one_of(st.lists(FLOATS, max_size=30), st.lists(INTEGERS, max_size=30))


@given(values=VALUES, gone=st.lists(FLOATS, max_size=8), data=st.data())
@example(values=[HUGE, HUGE, -HUGE, -HUGE], gone=[], data=None)
def test_exact_sum_is_that_of_what_is_left(values: list[float], gone: list[float], data: st.DataObject | None) -> None:
    """Whatever was added and taken away, the sum is that of the rest, exactly, and always the same four numbers."""
    total = ExactSum()
    for value in [*gone, *values]:
        total = total.add(value)
    for value in gone:
        total = total.take_away(value)
    again = ExactSum()
    for value in data.draw(st.permutations(values)) if data else values:
        again = again.add(value)

    assert total == again
    assert Fraction(total.mantissa) * Fraction(2) ** total.power == sum(map(Fraction, values))
    assert total.round() == _round(values)


def _round(values: list[float]) -> float:
    total = sum(map(Fraction, values))
    try:
        return float(total) if any(isinstance(value, float) for value in values) else sum(values)
    except OverflowError:
        return sys.float_info.max if total > 0 else -sys.float_info.max


@given(submission=st.one_of(st.uuids().map(str), st.text("0123456789abcdef-=", max_size=36)))
def test_packed_id_is_the_id(submission: str) -> None:
    """Any id is read as it was packed; a UUID takes 22 characters."""
    assert unpack_id(pack_id(submission)) == submission


@pytest.mark.parametrize(
    ("keep", "parts", "columns", "limit"),
    [(Keep.BEST, 0, 1, 100), (Keep.SUM, 0, 5, 400), (Keep.BEST, 12, 1, 710), (Keep.MEAN, 12, 1, 1000)],
)
def test_usual_benchmark_takes_little(keep: Keep, parts: int, columns: int, limit: int) -> None:
    """What is stored of a usual benchmark is less than a write unit of DynamoDB, after a thousand submissions too."""
    names = tuple(f"metric-{index}" for index in range(columns))
    score_type = ScoreType.model_validate({"headers": [{"name": name, "type": "float"} for name in names]})
    declared = tuple(f"level-{index}" for index in range(parts))
    rules = FoldingRules(Ranking(keep=keep, by=names[:1]), score_type, declared)
    submissions = [
        ScoredSubmission(
            f"019a5b1e-0000-7000-8000-{index:012x}",
            {declared[index % parts] if parts else NO_PART: dict.fromkeys(names, index / 7000)},
        )
        for index in range(1000)
    ]

    assert len(fold_submissions(submissions, rules).to_json()) <= limit


@given(first=RULES, second=RULES)
def test_rules_of_one_digest_are_the_same(first: FoldingRules, second: FoldingRules) -> None:
    """The digest names keep, combine, order, parts and improvements."""
    assume(first != second)

    assert first.digest != second.digest


def test_digest_depends_on_metrics() -> None:
    """A metric with another direction, or in another place, makes another digest."""
    headers = json.loads(COLUMNS.model_dump_json())["headers"]
    turned = [{**headers[0], "direction": "lower"}, *headers[1:]]
    ranking = Ranking(by=("up",))

    digests = {
        FoldingRules(ranking, ScoreType.model_validate({"headers": metrics})).digest
        for metrics in (headers, turned, headers[::-1])
    }

    assert len(digests) == 3
