"""The scores of `event_decay`. Source: docs/sources.md, "Event decay"."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import cast

from scoring_core.io.strict_json import read_result
from scoring_core.io.text import text_key
from scoring_core.scorers.base import Evaluation, Json, ScorerInputs
from scoring_core.scorers.event_decay import Aggregation, EventDecayParameters, TimeUnit
from scoring_core.scorers.event_decay.ground_truth import Event, Question, QuestionType, read_questions
from scoring_core.scorers.event_decay.submission import Response, Span, read_bodies, read_response
from scoring_core.scorers.squad_v2.ground_truth import normalise

_MICROSECOND = 0.001
"""In milliseconds: no frame is so near to another one, and no error of a product of doubles is so large."""


def prepare(inputs: ScorerInputs) -> "EventDecayScorer":
    """Build the scorer. Raises EvaluatorError if the ground truth is wrong."""
    parameters = cast("EventDecayParameters", inputs.parameters)
    questions = read_questions(inputs.ground_truth or b"")
    if parameters.ground_truth_unit is TimeUnit.FRAME:
        questions = {id_: _in_milliseconds(question, parameters) for id_, question in questions.items()}
    return EventDecayScorer(parameters, questions)


def score_point(
    event: Event, value: float, *, unit: float = 1.0, reach: float, max_score: float, decay_per_frame: float
) -> float:
    """Score one value against one event, all in frames unless `unit` says otherwise.

    Args:
        event: From its first to its last frame.
        value: The player's frame.
        unit: The duration of a frame, if event, value and reach are in milliseconds.
        reach: How far outside the event a value still counts, `>= 0`, boundary included.
        max_score: The score of the middle of the event, `> 0`.
        decay_per_frame: Subtracted for each frame of distance from the middle, `>= 0`.

    Returns:
        The score in [0, max_score].

    Source: docs/sources.md, "Event decay", example 1:

    >>> score_point(Event(4945, 5010), 4945, reach=12.0, max_score=100.0, decay_per_frame=1.0)
    67.5
    """
    # The last bit depends on this order of operations.
    if value < event.start - reach or value > event.end + reach:
        return 0.0
    distance = abs(value - (event.start + event.end) / 2) / unit
    return max(0.0, min(max_score - distance * decay_per_frame, max_score))


def aggregate(scores: Sequence[float], aggregation: Aggregation) -> float:
    """Return the score of a question from the scores of its events, at least one.

    >>> [aggregate([80.0, 100.0, 60.0], how) for how in Aggregation]
    [80.0, 60.0, 240.0]
    """
    match aggregation:
        case Aggregation.MEAN:
            # Rounding may lift the mean of equal scores by one bit, above what the metric allows.
            return min(sum(scores) / len(scores), max(scores))
        case Aggregation.MIN:
            return min(scores)
        case Aggregation.SUM:
            return sum(scores)


@dataclass(frozen=True, slots=True)
class EventDecayScorer:
    """Scores results against these questions; the points of KIS and QA are milliseconds."""

    parameters: EventDecayParameters
    questions: Mapping[str, Question]

    def __call__(self, result: bytes, /, *, part: str | None = None) -> list[Evaluation]:
        """Score every question that the result answers, in the order of the ground truth."""
        bodies = read_bodies(read_result(result), self.questions, part=part)
        evaluations = {body.question.id: self._evaluate(body.question, read_response(body)) for body in bodies}
        return [evaluations[id_] for id_ in self.questions if id_ in evaluations]

    def _evaluate(self, question: Question, response: Response) -> Evaluation:
        per_event = [
            0.0 if span is None else self._score_span(question, event, span, weight)
            for (event, weight), span in _match(question, response.values)
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

    def _score_span(self, question: Question, event: Event, span: Span, weight: float) -> float:
        if span.start == span.end:
            return self._score_value(question, event, span.start, weight)
        start_score = self._score_value(question, Event(event.start, event.start), span.start, weight)
        end_score = self._score_value(question, Event(event.end, event.end), span.end, weight)
        return (start_score + end_score) / 2

    def _score_value(self, question: Question, event: Event, value: float, weight: float) -> float:
        parameters = self.parameters
        unit, reach = 1.0, parameters.frame_tolerance
        if question.type is not QuestionType.TR:
            unit = _frame_milliseconds(question, parameters)
            reach = reach * unit if parameters.tolerance_ms is None else parameters.tolerance_ms
            is_frame = parameters.ground_truth_unit is TimeUnit.FRAME and parameters.tolerance_ms is None
            value = _move_to_edge(value, event.start - reach, event.end + reach, is_frame=is_frame)
        return score_point(
            event,
            value,
            unit=unit,
            reach=reach,
            max_score=parameters.max_score * weight,
            decay_per_frame=parameters.decay_per_frame,
        )


def _match(question: Question, values: Sequence[Span]) -> Iterator[tuple[tuple[Event, float], Span | None]]:
    # A missing value becomes None, surplus values are ignored.
    weights = question.weights or (1.0,) * len(question.events)
    return zip_longest(zip(question.events, weights, strict=True), values[: len(question.events)])


def _move_to_edge(value: float, first: float, last: float, *, is_frame: bool) -> float:
    """Return the edge that a whole millisecond stands for, or the value.

    Clients round a frame's time to milliseconds or cut its fraction off, and the frame at the edge is worth something.
    Of one at a whole millisecond doubles may leave the millisecond before: `int(201 / 25 * 1000)` is 8039.
    """
    cut = math.floor(first - _MICROSECOND if is_frame else first + _MICROSECOND)
    if cut - _MICROSECOND <= value < first:
        return first
    if last < value <= max(last, math.floor(last + 0.5 + _MICROSECOND)) + _MICROSECOND:
        return last
    return value


def _frame_milliseconds(question: Question, parameters: EventDecayParameters) -> float:
    return 1000 / (question.fps or parameters.fps)


def _answers_match(expected: str, answers: Sequence[str]) -> bool:
    # All must be right after SQuAD normalisation: a second guess does not help.
    right = normalise(text_key(expected))
    return bool(answers) and all(normalise(text_key(answer)) == right for answer in answers)


def _in_milliseconds(question: Question, parameters: EventDecayParameters) -> Question:
    if question.type is QuestionType.TR:
        return question
    unit = _frame_milliseconds(question, parameters)
    return replace(question, events=tuple(Event(event.start * unit, event.end * unit) for event in question.events))
