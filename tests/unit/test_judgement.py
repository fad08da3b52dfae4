"""Judgements: who must act, which columns, and what is not judged but raised."""

from collections.abc import Sequence
from typing import Any

import pytest

from scoring_core.benchmarks.loading import Benchmark, load_folder
from scoring_core.errors import BenchmarkError, EvaluatorError, InvalidResult, SandboxFailure
from scoring_core.judgement import Judgement, judge
from scoring_core.outcome import Outcome
from scoring_core.output import Output
from scoring_core.scorers.base import Evaluation, Scorer

OUTPUT = Output(stdout="out", stderr="err", ended="exited with code 2")
FIT: dict[str, int | float] = {"Coins": 50, "Time": 1.5}


@pytest.fixture
def benchmark(game: dict[str, Any], write_folder: Any) -> Benchmark:
    """The game with three levels."""
    return load_folder(write_folder(game | {"parts": ["a", "b", "c"]}))


def scorer_of(*evaluations: Evaluation) -> Scorer:
    """Return a scorer that yields these."""

    def score(result: bytes, /, *, part: str | None = None) -> Sequence[Evaluation]:
        return evaluations

    return score


def failing(error: Exception) -> Scorer:
    """Return a scorer that raises this."""

    def score(result: bytes, /, *, part: str | None = None) -> Sequence[Evaluation]:
        raise error

    return score


def test_scored_result_has_scores_detail_and_part(benchmark: Benchmark) -> None:
    """A scored result has its scores, its detail and its part, and no message."""
    scorer = scorer_of(Evaluation(scores={"Coins": 50.0, "Time": 2}, detail={"k": 1}, part="a"))

    judgement = judge(benchmark, scorer, b"{}", part="a")

    columns = {"Coins": 50, "Time": 2.0}
    assert judgement == Judgement(
        Outcome.SCORED, evaluations=(Evaluation(scores=columns, detail={"k": 1}, part="a"),), scores=columns
    )
    assert repr(judgement.scores) == "{'Coins': 50, 'Time': 2.0}"


def test_what_the_scorer_is_given(benchmark: Benchmark) -> None:
    """The scorer gets the bytes as they came, and the part that the submission named."""
    given: list[tuple[bytes, str | None]] = []

    def score(result: bytes, /, *, part: str | None = None) -> Sequence[Evaluation]:
        given.append((result, part))
        return (Evaluation(FIT, {}, part=part),)

    judge(benchmark, score, b"\xff{", part="b")

    assert given == [(b"\xff{", "b")]


def test_invalid_result_is_explained_to_the_player(benchmark: Benchmark) -> None:
    """The player gets the message, the pointer, and what the script printed."""
    judgement = judge(benchmark, failing(InvalidResult("expected x", "/a/0", OUTPUT)), b"")

    assert judgement == Judgement(Outcome.INVALID, message="expected x", pointer="/a/0", output=OUTPUT)


@pytest.mark.parametrize("error", [EvaluatorError("broken", OUTPUT), BenchmarkError("broken", OUTPUT)])
def test_evaluator_error_has_the_output_of_the_script(benchmark: Benchmark, error: EvaluatorError) -> None:
    """The owner gets the error and the output of the script."""
    judgement = judge(benchmark, failing(error), b"")

    assert judgement == Judgement(Outcome.EVALUATOR_ERROR, message="broken", output=OUTPUT)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({"Coins": 101, "Time": 1.0}, "score 'Coins': 101 is above the maximum 100"),
        ({"Coins": 1}, "scores do not match the metrics: missing 'Time'"),
    ],
)
def test_scores_that_do_not_fit(benchmark: Benchmark, scores: dict[str, float], message: str) -> None:
    """Scores that do not fit the columns are the owner's error, with the output of the script that made them."""
    judgement = judge(benchmark, scorer_of(Evaluation(scores, {}, output=OUTPUT)), b"")

    assert judgement == Judgement(Outcome.EVALUATOR_ERROR, message=message, output=OUTPUT)


def test_scored_keeps_no_output(benchmark: Benchmark) -> None:
    """What a script printed is of no interest once it scored."""
    judgement = judge(benchmark, scorer_of(Evaluation(FIT, {}, output=OUTPUT)), b"")

    assert judgement.output is None
    assert judgement.evaluations[0].output is None


@pytest.mark.parametrize(
    "error", [SandboxFailure("no sandbox"), ZeroDivisionError(), MemoryError(), KeyError("x"), OSError(28, "full")]
)
def test_our_errors_escape(benchmark: Benchmark, error: Exception) -> None:
    """What is neither the player's fault nor the owner's is raised, to be retried: never an outcome."""
    with pytest.raises(type(error)) as caught:
        judge(benchmark, failing(error), b"")

    assert caught.value is error


def test_submission_of_one_part_shows_its_own_metrics(benchmark: Benchmark) -> None:
    """A submission of one part shows that part's own columns, not a board's sum over untried parts."""
    judgement = judge(benchmark, scorer_of(Evaluation(FIT, {}, part="b")), b"")

    assert judgement.scores == FIT


def test_submission_of_several_parts_shows_them_combined(benchmark: Benchmark) -> None:
    """A submission of several parts shows them combined over all declared parts, as a board would."""
    scorer = scorer_of(
        Evaluation({"Coins": 3, "Time": 1.0}, {}, part="a"), Evaluation({"Coins": 4, "Time": 2.0}, {}, part="b")
    )

    judgement = judge(benchmark, scorer, b"")

    assert judgement.scores == {"Coins": 7}  # part c was never tried: 0 coins, and no time
    assert [evaluation.part for evaluation in judgement.evaluations] == ["a", "b"]


def test_submission_of_all_parts_has_every_metric(benchmark: Benchmark) -> None:
    """With every part tried, no column is absent."""
    scorer = scorer_of(*(Evaluation({"Coins": 1, "Time": 1.5}, {}, part=part) for part in "abc"))

    assert judge(benchmark, scorer, b"").scores == {"Coins": 3, "Time": 4.5}


def test_one_bad_part_spoils_all(benchmark: Benchmark) -> None:
    """Where one part's scores do not fit, the benchmark is wrong and nothing is scored."""
    scorer = scorer_of(Evaluation(FIT, {}, part="a"), Evaluation({"Coins": -1, "Time": 0.0}, {}, part="b"))

    judgement = judge(benchmark, scorer, b"")

    assert (judgement.outcome, judgement.evaluations, judgement.scores) == (Outcome.EVALUATOR_ERROR, (), {})


@pytest.mark.parametrize("kind", [InvalidResult, EvaluatorError])
def test_long_message_is_cut_to_fit_a_record(benchmark: Benchmark, kind: type[InvalidResult | EvaluatorError]) -> None:
    """A message that quotes too much is cut, so that it fits a record."""
    message = judge(benchmark, failing(kind("x" * 5000)), b"").message

    assert message == "x" * 3999 + "…"


@pytest.mark.parametrize(
    ("pointer", "cut"),
    [("/a/" + "b" * 2000, "/a"), ("/" + "b" * 999, "/" + "b" * 999), ("/" + "b" * 999 + "/c", "/" + "b" * 999)],
)
def test_long_pointer_is_cut_at_a_whole_step(benchmark: Benchmark, pointer: str, cut: str) -> None:
    """A pointer that is too long points at the nearest thing around: half a step would point nowhere."""
    assert judge(benchmark, failing(InvalidResult("m", pointer)), b"").pointer == cut


def test_scores_that_no_record_holds(benchmark: Benchmark) -> None:
    """Scores of too many parts are the owner's error, not an internal one that is retried."""
    few = [Evaluation(FIT, {}, part=f"part-{number}") for number in range(5_000)]
    many = [Evaluation(FIT, {}, part=f"part-{number}") for number in range(10_000)]

    judgement = judge(benchmark, scorer_of(*many), b"{}")

    assert judge(benchmark, scorer_of(*few), b"{}").outcome is Outcome.SCORED
    assert judgement.outcome is Outcome.EVALUATOR_ERROR
    assert "at most 300000 are recorded" in judgement.message


@pytest.mark.parametrize(
    ("review", "scores", "in_review"),
    [
        (None, FIT, False),
        ("Time < 2", FIT, True),
        ("Time < 1", FIT, False),
        ("Coins / (Time - 1.5) > 99", FIT, True),
        ("Coins / (Time - 1.5) > 99", FIT | {"Time": 1.0}, False),
    ],
)
def test_what_meets_the_condition_or_has_no_value_is_in_review(
    game: dict[str, Any], write_folder: Any, review: str | None, scores: dict[str, int | float], *, in_review: bool
) -> None:
    """Of several parts one is enough, and what cannot be judged waits too."""
    parts = {"parts": ["a", "b"]} | ({} if review is None else {"review": review})
    benchmark = load_folder(write_folder(game | parts))
    slow = Evaluation(scores={"Coins": 1, "Time": 60.0}, detail={}, part="b")

    judgement = judge(benchmark, scorer_of(Evaluation(scores=scores, detail={}, part="a"), slow), b"{}")

    assert judgement.in_review is in_review
