"""`event_decay`: points in a video against events; the score decays with the distance from an event's middle.

`event_truth` reads the ground truth, `event_body`, `event_text` and `event_response` what players send.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from scoring_core.errors import EvaluatorError, InvalidResult, StrictJsonError
from scoring_core.io import strict_json
from scoring_core.scorers.base import Evaluation, Json, ScorerInputs, ScorerSpec
from scoring_core.scorers.event_decay.bodies import read_bodies
from scoring_core.scorers.event_decay.ground_truth import Event, Question, QuestionType, read_questions
from scoring_core.scorers.event_decay.submission import Response, Span, read_response
from scoring_core.scorers.squad_v2.text import normalise

# The bounds keep every product of parameters and points far from where doubles overflow.
type _Size = Annotated[float, Field(strict=True, ge=0, le=1e9)]
type _PositiveSize = Annotated[float, Field(strict=True, ge=1e-9, le=1e9)]


class Aggregation(StrEnum):
    """How the scores of a question's events become its score."""

    MEAN = "mean"
    MIN = "min"
    SUM = "sum"


class TimeUnit(StrEnum):
    """What the points of KIS and QA questions count in the ground truth."""

    MILLISECONDS = "milliseconds"
    FRAME = "frame"


class Parameters(BaseModel):
    """The `parameters:` of a benchmark with this scorer.

    Args:
        fps: Frames a second of every video.
        max_score: What a hit in the middle of an event is worth.
        frame_tolerance: How far outside an event, in frames, a value still counts.
        decay_per_frame: What each frame of distance from the middle costs.
        aggregation: Over the events of a question.
        ground_truth_unit: Of the points of KIS and QA questions; those of TR are always frames.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    fps: _PositiveSize = 25.0
    max_score: _PositiveSize = 100.0
    frame_tolerance: _Size = 12.0
    decay_per_frame: _Size = 1.0
    aggregation: Aggregation = Aggregation.MEAN
    ground_truth_unit: TimeUnit = TimeUnit.MILLISECONDS

    @property
    def frame_milliseconds(self) -> float:
        """How long a frame lasts."""
        return 1000 / self.fps


def score_event_frame(  # noqa: PLR0917  # the source's own signature
    gt_start: float, gt_end: float, user_value: float, tolerance: float, max_score: float, decay_per_frame: float
) -> float:
    """Score one value against one event, all in frames.

    Args:
        gt_start: First frame of the event.
        gt_end: Last frame of the event, `>= gt_start`.
        user_value: The player's frame.
        tolerance: Frames outside the event that still count, `>= 0`; the boundary itself counts.
        max_score: What the middle of the event is worth, `> 0`.
        decay_per_frame: What each frame of distance from the middle costs, `>= 0`.

    Returns:
        The score in [0, max_score].

    Source: docs/sources.md, "Event decay", example 1:

    >>> score_event_frame(4945, 5010, 4945, 12.0, 100.0, 1.0)
    67.5
    """
    return _score_point(
        Event(gt_start, gt_end),
        user_value,
        unit=1.0,
        tolerance=tolerance,
        max_score=max_score,
        decay_per_frame=decay_per_frame,
    )


def aggregate(scores: Sequence[float], aggregation: Aggregation) -> float:
    """Make one score of those of the events of a question.

    Args:
        scores: One for each event, at least one.
        aggregation: How.

    Returns:
        Mean or minimum, in the range of the scores, or the sum.

    >>> [aggregate([80.0, 100.0, 60.0], how) for how in Aggregation]
    [80.0, 60.0, 240.0]
    """
    match aggregation:
        case Aggregation.MEAN:
            # Rounding may lift the mean of equal scores by one bit, above what the column allows.
            return min(sum(scores) / len(scores), max(scores))
        case Aggregation.MIN:
            return min(scores)
        case Aggregation.SUM:
            return sum(scores)


def prepare(materials: ScorerInputs) -> "EventDecayScorer":
    """Build the scorer; raises EvaluatorError where the ground truth is wrong."""
    parameters = materials.parameters
    if not isinstance(parameters, Parameters):
        raise TypeError(f"expected event_decay.Parameters, found {type(parameters).__name__}")
    questions = _read_truth(materials)
    if parameters.ground_truth_unit is TimeUnit.FRAME:
        questions = {id_: _in_milliseconds(question, parameters) for id_, question in questions.items()}
    return EventDecayScorer(parameters, questions)


@dataclass(frozen=True, slots=True)
class EventDecayScorer:
    """Scores results against these questions; the points of KIS and QA are milliseconds."""

    parameters: Parameters
    questions: Mapping[str, Question]

    def __call__(self, result: bytes, /, *, part: str | None = None) -> list[Evaluation]:
        """Score every question that the result answers, in the order of the ground truth."""
        try:
            value = strict_json.loads(result)
        except StrictJsonError as error:
            raise InvalidResult(f"expected JSON: {error}") from error
        bodies = read_bodies(value, self.questions, part=part)
        evaluations = {body.question.id: self._evaluate(body.question, read_response(body)) for body in bodies}
        return [evaluations[id_] for id_ in self.questions if id_ in evaluations]

    def _evaluate(self, question: Question, response: Response) -> Evaluation:
        per_event = [
            0.0 if span is None else self._score_span(question, event, span)
            for event, span in _matched(question.events, response.values)
        ]
        detail: dict[str, Json] = {
            "values": [span.start if span.start == span.end else [*span] for span in response.values],
            "num_gt_events": len(question.events),
            "num_values": len(response.values),
            "aggregation": self.parameters.aggregation.value,
        }
        if question.answer is not None:
            detail["answer_matches"] = matches = _answers_match(question.answer, response.answers)
            per_event = per_event if matches else [0.0] * len(per_event)
        detail["per_event_scores"] = [*per_event]
        score = aggregate(per_event, self.parameters.aggregation)
        return Evaluation(scores={"score": score}, detail=detail, part=question.id)

    def _score_span(self, question: Question, event: Event, span: Span) -> float:
        if span.start == span.end:
            return self._score_value(question, event, span.start)
        at_start = self._score_value(question, Event(event.start, event.start), span.start)
        at_end = self._score_value(question, Event(event.end, event.end), span.end)
        return (at_start + at_end) / 2

    def _score_value(self, question: Question, event: Event, value: float) -> float:
        given = self.parameters
        return _score_point(
            event,
            value,
            unit=1.0 if question.type is QuestionType.TR else given.frame_milliseconds,
            tolerance=given.frame_tolerance,
            max_score=given.max_score,
            decay_per_frame=given.decay_per_frame,
        )


def _score_point(
    event: Event, value: float, *, unit: float, tolerance: float, max_score: float, decay_per_frame: float
) -> float:
    """Score in frames (`unit` 1) or milliseconds (`unit` those of a frame); the last bit depends on the order here."""
    reach = tolerance * unit
    if value < event.start - reach or value > event.end + reach:
        return 0.0
    distance = abs(value - (event.start + event.end) / 2) / unit
    return max(0.0, min(max_score - distance * decay_per_frame, max_score))


def _matched(events: Sequence[Event], values: Sequence[Span]) -> Iterator[tuple[Event, Span | None]]:
    """Pair events and values by position: None for a value that is missing, nothing for one too many."""
    return zip_longest(events, values[: len(events)])


def _answers_match(expected: str, answers: Sequence[str]) -> bool:
    """Tell whether there is an answer and every one is right after SQuAD normalisation: two guesses are no help."""
    wanted = normalise(expected)
    return bool(answers) and all(normalise(answer) == wanted for answer in answers)


def _in_milliseconds(question: Question, parameters: Parameters) -> Question:
    if question.type is QuestionType.TR:
        return question
    unit = parameters.frame_milliseconds
    return replace(question, events=tuple(Event(event.start * unit, event.end * unit) for event in question.events))


def _read_truth(materials: ScorerInputs) -> dict[str, Question]:
    if materials.ground_truth is None:
        raise EvaluatorError("event_decay needs ground truth: expected a CSV file of questions, found none")
    return read_questions(materials.ground_truth)


def _parts_of(materials: ScorerInputs) -> tuple[str, ...]:
    return tuple(_read_truth(materials))


KIND = ScorerSpec(
    name="event_decay",
    parameters=Parameters,
    score_names=("score",),
    prepare=prepare,
    parts_of=_parts_of,
)
