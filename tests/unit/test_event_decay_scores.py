"""`event_decay`: what values are worth in frames and milliseconds, answers, and properties of every score."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from scoring_core.scorers.base import Evaluation, ScorerInputs
from scoring_core.scorers.event_decay import Aggregation, EventDecayParameters
from scoring_core.scorers.event_decay.ground_truth import Event
from scoring_core.scorers.event_decay.scoring import EventDecayScorer, aggregate, prepare, score_point

HEADER = "id,type,scene_id,video_id,points,answer\n"
frames = st.integers(0, 10**6)
sizes = st.floats(0, 1e4)


def build(rows: str, **parameters: object) -> EventDecayScorer:
    """Build a scorer from the rows of a ground truth, given without their header."""
    return prepare(ScorerInputs(EventDecayParameters.model_validate(parameters), (HEADER + rows).encode()))


def score(scorer: EventDecayScorer, body: object) -> Evaluation:
    """Score a body that answers one question."""
    (evaluation,) = scorer(json.dumps(body).encode())
    return evaluation


def points(video: str, *spans: tuple[float, float], **members: Any) -> dict[str, Any]:
    """Write a body in media form."""
    entries = [{"mediaItemName": video, "start": start, "end": end, **members} for start, end in spans]
    return {"answers": entries}


@pytest.mark.parametrize(
    ("value", "expected"),
    [(9520, 88.0 - 12.5), (9519.75, 0.0), (10500, 100.0), (10501, 100 - 1 / 40), (11480, 75.5), (11480.25, 0.0)],
)
def test_decay_counts_in_milliseconds(value: float, expected: float) -> None:
    """At 25 fps a frame is 40 ms: 12 frames of tolerance are 480 ms, both ends inclusive, and each 40 ms cost 1."""
    scorer = build("1,KIS,,V1,10000-11000,\n")

    assert score(scorer, points("V1", (value, value))).scores == {"score": expected}


def test_the_order_of_the_operations_in_milliseconds() -> None:
    """At 30 fps the distance is divided by 1000 / 30, then multiplied: the last bit depends on this order."""
    scorer = build("1,KIS,,V1,10000-10000,\n", fps=30, decay_per_frame=0.7)

    assert score(scorer, {"text": "KIS-V1-10101"}).scores == {"score": 100 - (101 / (1000 / 30)) * 0.7}


def test_ground_truth_in_frames() -> None:
    """With `ground_truth_unit: frame` the points of KIS and QA are frames, those of TR stay what they are."""
    rows = "k,KIS,,V1,250-350,\nt,TR,,V1,250-350,\n"
    scorer = build(rows, ground_truth_unit="frame")

    in_ms = score(scorer, {"question": "k", "text": "KIS-V1-12001"})
    in_frames = score(scorer, {"question": "t", "text": "TR-V1-301"})

    assert (in_ms.scores["score"], in_frames.scores["score"]) == (100 - 1 / 40, 99.0)


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ((10000, 20000), 100.0),
        ((9960, 20080), (99.0 + 98.0) / 2),
        ((10000, 20481), 50.0),
        ((9519, 20481), 0.0),
        ((15000, 15000), 100.0),
        ((15000, 15001), 0.0),
    ],
)
def test_an_interval_is_the_mean_of_its_two_ends(span: tuple[float, float], expected: float) -> None:
    """Each end is scored against its own boundary, so the middle of a long event is worth much only as a point."""
    scorer = build("1,QA,,V1,10000-20000,\n")

    assert score(scorer, points("V1", span)).scores == {"score": expected}


@pytest.mark.parametrize(
    ("body", "matches"),
    [
        ({"text": "QA-three-legged STOOL!-V3-1000"}, True),
        ({"text": "QA-a  three-legged stool-V3-1000"}, True),
        ({"text": "QA-stool-V3-1000"}, False),
        ({"text": "QA--V3-1000"}, False),
        (points("V3", (1000, 1000), text="Three-legged stool."), True),
        (points("V3", (1000, 1000), text="chair"), False),
        (points("V3", (1000, 1000)), False),
        (
            {"answers": [*points("V3", (1000, 1000), text="threelegged stool")["answers"], {"text": "QA-no-V3-1"}]},
            False,
        ),
        ({"answers": []}, False),
    ],
)
def test_a_wrong_answer_is_worth_nothing(body: object, *, matches: bool) -> None:
    """Where the ground truth has an answer, every answer given must equal it after SQuAD normalisation."""
    scorer = build("1,QA,,V3,1000-1000,The three-legged stool\n")

    evaluation = score(scorer, body)

    assert evaluation.detail["answer_matches"] is matches
    assert evaluation.detail["per_event_scores"] == [100.0 if matches else 0.0]
    assert evaluation.scores == {"score": 100.0 if matches else 0.0}


def test_without_an_expected_answer_any_will_do() -> None:
    """A QA question whose ground truth has no answer is scored by time alone."""
    evaluation = score(build("1,QA,,V3,1000-1000,\n"), {"text": "QA-whatever-V3-1000"})

    assert evaluation.scores == {"score": 100.0}
    assert "answer_matches" not in evaluation.detail


def test_detail_explains_the_score() -> None:
    """The detail explains the score, and holds nothing of the ground truth but the number of events."""
    evaluation = score(build("1,TR,,V1,4945-5010-5001-5020,\n"), {"text": "TR-V1-4999,5001,5050"})

    assert evaluation.detail == {
        "per_event_scores": [78.5, 90.5],
        "values": [4999, 5001, 5050],
        "num_gt_events": 2,
        "num_values": 3,
        "aggregation": "mean",
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"fps": 0},
        {"fps": True},
        {"fps": math.inf},
        {"max_score": 0},
        {"frame_tolerance": -1},
        {"aggregation": "median"},
        {"ground_truth_unit": "seconds"},
        {"tolerance": 12},
    ],
)
def test_parameters_are_checked(wrong: dict[str, object]) -> None:
    """Parameters out of range, of another type or unknown are refused."""
    with pytest.raises(ValidationError):
        EventDecayParameters.model_validate(wrong)


@given(st.tuples(frames, frames).map(sorted), frames, sizes, st.floats(0.1, 1e4), sizes)
def test_a_score_lies_between_nothing_and_the_maximum(
    event: list[int], value: int, tolerance: float, max_score: float, decay: float
) -> None:
    """Whatever the event, the value and the parameters, 0 <= score <= max_score."""
    score = score_point(Event(*event), value, reach=tolerance, max_score=max_score, decay_per_frame=decay)

    assert 0 <= score <= max_score


@given(frames, st.integers(0, 1000), st.integers(0, 2000), st.integers(0, 50))
def test_symmetric_around_the_middle(start: int, length: int, distance: int, tolerance: int) -> None:
    """The same distance before and after the middle is worth the same."""
    event = Event(start, start + length)
    middle = (event.start + event.end) / 2

    before, after = (
        score_point(event, value, reach=tolerance, max_score=100.0, decay_per_frame=0.3)
        for value in (middle - distance, middle + distance)
    )

    assert before == after


@given(frames, st.integers(0, 100), st.integers(-20, 120), st.sampled_from([1.0, 12.5, 25.0, 50.0, 100.0, 125.0]))
def test_frames_and_milliseconds_agree(start: int, length: int, offset: int, fps: float) -> None:
    """Where a frame is a whole number of milliseconds, both units give the same bits."""
    end, value, unit = start + length, start + offset, round(1000 / fps)
    scorer = build(f"f,TR,,V,{start}-{end},\nm,KIS,,V,{start * unit}-{end * unit},\n", fps=fps, decay_per_frame=0.3)

    in_frames = score(scorer, {"question": "f", "text": f"TR-V-{value}"})
    in_milliseconds = score(scorer, {"question": "m", "text": f"KIS-V-{value * unit}"})

    assert in_frames.scores == in_milliseconds.scores


def test_rounding_does_not_lift_a_mean() -> None:
    """Three scores of 51.572835356319914 add up and divide to one bit more, which a column's maximum would refuse."""
    best = 51.572835356319914

    assert (best + best + best) / 3 > best
    assert aggregate([best, best, best], Aggregation.MEAN) == best
