"""Numbers as they come in the field: edges of a tolerance, whole numbers, probabilities in place of logarithms."""

import math
import sys
from pathlib import Path

import pytest

from scoring_core.benchmarks.definition import Ranking
from scoring_core.benchmarks.loading import load_folder
from scoring_core.errors import EvaluatorError, InvalidResult
from scoring_core.metrics.score_type import ScoreType
from scoring_core.ranking.accumulators import FoldingRules, ScoredSubmission, fold_standing
from scoring_core.ranking.standings import NO_PART, RankOrder
from scoring_core.scorers.base import ScorerInputs
from scoring_core.scorers.event_decay import EventDecayParameters
from scoring_core.scorers.event_decay.scoring import prepare

CASES = Path(__file__).parent / "cases"
TRUTH = b"id,type,scene_id,video_id,points\nk,KIS,,V,100-110\nt,TR,,V,100-110\n"
FRAME_RATES = (23.976, 24, 24000 / 1001, 25, 29.97, 30000 / 1001, 30, 47.952, 50, 59.94, 60, 119.88)


def score_case(case: str, folder: str, file: str) -> float:
    """Return the score of a file of a case."""
    scorer = load_folder(CASES / case / folder).prepare_scorer()
    (evaluation,) = scorer((CASES / case / file).read_bytes())
    return evaluation.scores["score"]


def test_frame_at_the_edge_is_worth_the_same_in_milliseconds() -> None:
    """A frame that is as far away as the tolerance allows scores as it does when sent as a whole millisecond."""
    frame, milliseconds = (score_case("frame-at-the-edge", "edge", file) for file in ("tr.json", "kis.json"))

    assert (frame, milliseconds) == (83.0, 83.0)


@pytest.mark.parametrize("fps", FRAME_RATES)
@pytest.mark.parametrize("frame", [86, 87, 88, 122, 123, 124])
def test_every_way_to_write_a_frame_in_milliseconds_is_in_reach_alike(fps: float, frame: int) -> None:
    """Rounded up, rounded, cut and exact: in reach where the frame is, worth as much but for a millisecond's decay."""
    scorer = prepare(ScorerInputs(EventDecayParameters(fps=fps, ground_truth_unit="frame"), TRUTH))
    exact = frame / fps * 1000
    spellings = {repr(exact), f"{exact:.3f}", str(round(exact)), str(math.floor(exact + 0.5)), str(int(exact))}

    (in_frames,) = scorer(b'{"question": "t", "text": "TR-V-%d"}' % frame)

    for spelling in spellings:
        (evaluation,) = scorer(b'{"question": "k", "text": "KIS-V-%s"}' % spelling.encode())
        assert evaluation.scores["score"] == pytest.approx(in_frames.scores["score"], abs=fps / 1000), spelling


@pytest.mark.parametrize("fps", [25, 50])
def test_frame_that_a_product_of_doubles_cuts_short_is_in_reach(fps: int) -> None:
    """`int(201 / 25 * 1000)` is 8039 although the frame begins at 8040: the first frame in reach is worth the same."""
    parameters = EventDecayParameters(fps=fps, ground_truth_unit="frame", frame_tolerance=12)
    cut = [frame for frame in range(12, 2000) if int(frame / fps * 1000) < frame * 1000 // fps]

    for frame in cut:
        truth = b"id,type,scene_id,video_id,points\nk,KIS,,V,%d-%d\n" % (frame + 12, frame + 22)
        scorer = prepare(ScorerInputs(parameters, truth))
        first, before = (
            scorer(b'{"question": "k", "text": "KIS-V-%d"}' % value)[0].scores["score"]
            for value in (int(frame / fps * 1000), int(frame / fps * 1000) - 1)
        )
        assert (first, before) == (83.0, 0.0), frame
    assert cut


@pytest.mark.parametrize(("value", "is_hit"), [(2932, False), (2933, True), (4067, True), (4068, False)])
def test_no_more_than_the_millisecond_of_the_edge_is_in_reach(value: int, *, is_hit: bool) -> None:
    """At 30 fps the edges are 2933.33 and 4066.67: the milliseconds beside those of the edges score nothing."""
    scorer = prepare(ScorerInputs(EventDecayParameters(fps=30, ground_truth_unit="frame"), TRUTH))

    (evaluation,) = scorer(b'{"question": "k", "text": "KIS-V-%d"}' % value)

    assert (evaluation.scores["score"] > 0) is is_hit


def test_probabilities_in_place_of_logarithms_are_refused_with_a_hint() -> None:
    """A softmax is no log-probability; with its logarithms the same beliefs are scored."""
    case = CASES / "iqa-probabilities"
    scorer = load_folder(case / "iqa-case").prepare_scorer()

    with pytest.raises(InvalidResult) as caught:
        scorer((case / "probabilities.json").read_bytes())

    (evaluation,) = scorer((case / "logarithms.json").read_bytes())
    assert (caught.value.pointer, round(evaluation.scores["RMSE"], 3)) == ("/items/0/quality_probs", 0.177)
    assert caught.value.message == (
        "expected log-probabilities, found numbers that add up to 1 or 100, as probabilities do: "
        "send their natural logarithms"
    )


@pytest.mark.parametrize(
    ("beliefs", "is_refused"),
    [
        ('{"1": 0, "2": 0, "3": 1, "4": 0, "5": 0}', True),
        ('{"1": 0.33, "2": 0.33, "3": 0.33}', True),
        ('{"4": 0.25, "5": 0.75}', True),
        ('{"1": 2.5, "2": 7.5, "3": 60, "4": 20, "5": 10}', True),
        ('{"1": 0, "2": 0, "3": 0, "4": 0, "5": 0}', False),
        ('{"1": -0.5, "2": 0.5, "3": 1, "4": 0, "5": 0}', False),
        ('{"1": 0.9, "2": 0.8, "3": 0.1, "4": 0, "5": 0}', False),
        ('{"3": 0}', False),
    ],
)
def test_only_what_adds_up_as_probabilities_do_is_refused(beliefs: str, *, is_refused: bool) -> None:
    """Log-probabilities are known up to a constant, so positive ones that add up to something else are scored."""
    scorer = load_folder(CASES / "iqa-probabilities" / "iqa-case").prepare_scorer()
    items = ", ".join(f'{{"id": "i{number}", "quality_probs": {beliefs}}}' for number in range(1, 6))
    result = f'{{"items": [{items}]}}'.encode()

    if is_refused:
        with pytest.raises(InvalidResult, match="add up to 1"):
            scorer(result)
    else:
        assert len(scorer(result)) == 1


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize(("keep", "combine"), [("sum", "mean"), ("best", "sum"), ("sum", "sum")])
def test_total_beyond_a_double_ranks_by_its_size(keep: str, combine: str, direction: str) -> None:
    """Two results, or two parts, of 1.7e308 rank before one of 5 where higher is better, and behind it otherwise."""
    ranking = Ranking.model_validate({"by": ["Cash"], "keep": keep, "combine": combine})
    headers = [{"name": "Cash", "type": "float", "direction": direction}]
    score_type = ScoreType.model_validate({"headers": headers})
    parts = ("a", "b") if combine == "sum" else ()
    whale, shrimp = (
        fold_standing(
            [ScoredSubmission(f"s{n}", {parts[n] if parts else NO_PART: {"Cash": value}}) for n in (0, 1)],
            FoldingRules(ranking, score_type, parts),
        )
        for value in (1.7e308, 2.5)
    )

    assert whale is not None
    assert shrimp is not None
    order = RankOrder.of(ranking, score_type)
    assert whale.scores == {"Cash": sys.float_info.max}
    assert (order.key(whale.scores) < order.key(shrimp.scores)) is (direction == "higher")


@pytest.mark.parametrize("text", ["Cash * 10", "Cash + Cash", "mean(Cash, Cash) / 2", "1 / (Cash - Cash + 1e-320)"])
def test_expression_beyond_a_double_is_an_error(text: str) -> None:
    """It is no missing value, which ranks last without a word; a division by 0 still is one."""
    headers = [{"name": "Cash", "type": "float"}, {"name": "Points", "type": "float", "expression": text}]

    with pytest.raises(EvaluatorError, match="score 'Points': a number is too large in its expression: "):
        ScoreType.model_validate({"headers": headers}).select({"Cash": 1.7e308}, exact=True)

    headers[1]["expression"] = "1 / (Cash - Cash)"
    assert "Points" not in ScoreType.model_validate({"headers": headers}).select({"Cash": 1.0}, exact=True)
