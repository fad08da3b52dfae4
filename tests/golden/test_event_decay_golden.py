"""Published figures of `event_decay` (docs/sources.md, "Event decay"), and the answer of the public server."""

import json

import pytest

from scoring_core.scorers.base import Evaluation, ScorerInputs
from scoring_core.scorers.event_decay import Aggregation, EventDecayParameters
from scoring_core.scorers.event_decay.ground_truth import Event
from scoring_core.scorers.event_decay.scoring import aggregate, prepare, score_point

SOURCE_EVENTS = "4945,5010,5001,5020"
SERVER_EVENTS = "4890,5000,5001,5020"


def score_one(truth: str, body: object, **parameters: object) -> Evaluation:
    """Score one body against the rows of a ground truth, given without their header."""
    csv = f"id,type,scene_id,video_id,points\n{truth}\n".encode()
    scorer = prepare(ScorerInputs(EventDecayParameters.model_validate(parameters), csv))
    (evaluation,) = scorer(json.dumps(body).encode())
    return evaluation


def test_score_perfect_match() -> None:
    """The source's unit test, verbatim: the middle of an event is worth more than 99."""
    score = score_point(Event(4945, 5010), 4977, reach=12.0, max_score=100.0, decay_per_frame=1.0)
    assert score > 99.0


def test_score_out_of_range() -> None:
    """The source's unit test, verbatim: far outside an event a value is worth nothing."""
    score = score_point(Event(4945, 5010), 3000, reach=12.0, max_score=100.0, decay_per_frame=1.0)
    assert score == 0.0


@pytest.mark.parametrize(
    ("events", "values", "per_event", "mean"),
    [
        (SOURCE_EVENTS, "4945,5001", [67.5, 90.5], 79.0),
        (SERVER_EVENTS, "4999,5049", [46.0, 0.0], 23.0),
        (SOURCE_EVENTS, "4999,5049", [78.5, 0.0], 39.25),
        (SOURCE_EVENTS, "4945,5010", [67.5, 99.5], 83.5),
        (SOURCE_EVENTS, "4933,5022", [55.5, 88.5], 72.0),
        (SOURCE_EVENTS, "4999", [78.5, 0.0], 39.25),
        (SOURCE_EVENTS, "4999,5001,5050", [78.5, 90.5], 84.5),
        (SOURCE_EVENTS, "3000,6000", [0.0, 0.0], 0.0),
        (SOURCE_EVENTS, "", [0.0, 0.0], 0.0),
        ("4945,5010", "4977", [99.5], 99.5),
    ],
)
def test_values_score_as_the_formula_says(events: str, values: str, per_event: list[float], mean: float) -> None:
    """Figures worked by hand from the formula of the source come out to the last bit."""
    evaluation = score_one(f'1,TR,L26,V017,"{events}"', {"text": f"TR-V017-{values}"})

    assert evaluation.detail["per_event_scores"] == per_event
    assert evaluation.scores == {"score": mean}


@pytest.mark.parametrize(("how", "score"), [("mean", 80.0), ("min", 60.0), ("sum", 240.0)])
def test_aggregations_score_as_published(how: str, score: float) -> None:
    """The source's example of the aggregations: 80, 100 and 60 give mean 80, minimum 60 and sum 240."""
    assert aggregate([80.0, 100.0, 60.0], Aggregation(how)) == score


def test_aggregation_of_a_question() -> None:
    """The parameter `aggregation` decides what becomes of the scores 67.5 and 90.5."""
    truth, body = f'1,TR,L26,V017,"{SOURCE_EVENTS}"', {"text": "TR-V017-4945,5001"}

    scores = [score_one(truth, body, aggregation=how).scores["score"] for how in ("mean", "min", "sum")]

    assert scores == [79.0, 67.5, 158.0]


def test_late_intervals_of_example_3() -> None:
    """Example 3 of the source: intervals one millisecond late give 100 - 1/40 for each event."""
    answers = [
        {"mediaItemName": "L01_V013", "start": 10001, "end": 20001},
        {"mediaItemName": "L01_V013", "start": 30001, "end": 40001},
    ]

    evaluation = score_one('2,KIS,L01,V013,"10000,20000,30000,40000"', {"answers": answers})

    assert evaluation.detail["per_event_scores"] == [99.975, 99.975]
    assert evaluation.scores == {"score": 99.975}
