"""`event_decay`: points in a video against events; the score decays with the distance from an event's middle."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from scoring_core.io.strict_models import StrictModel
from scoring_core.scorers.base import ScorerSpec

LARGEST_SIZE, SMALLEST_SIZE = 1e9, 1e-9
"""The bounds of a number of the owner: every product of them and of points is far from where doubles overflow."""

type _Size = Annotated[float, Field(strict=True, ge=0, le=LARGEST_SIZE)]
type _PositiveSize = Annotated[float, Field(strict=True, ge=SMALLEST_SIZE, le=LARGEST_SIZE)]


class Aggregation(StrEnum):
    """How the scores of a question's events become its score."""

    MEAN = "mean"
    MIN = "min"
    SUM = "sum"


class TimeUnit(StrEnum):
    """The unit of the points of KIS and QA questions in the ground truth."""

    MILLISECONDS = "milliseconds"
    FRAME = "frame"


class EventDecayParameters(StrictModel):
    """The `parameters:` of a benchmark with this scorer.

    Args:
        fps: Frames per second of a video for which the ground truth names none.
        max_score: The score of a hit in the middle of an event of weight 1.
        frame_tolerance: How far outside an event, in frames, a value still counts.
        tolerance_ms: The same for KIS and QA questions, in milliseconds; None: as long as `frame_tolerance` frames.
        decay_per_frame: Subtracted for each frame of distance from the middle.
        aggregation: Over the events of a question.
        ground_truth_unit: Of the points of KIS and QA questions; those of TR are always frames.
    """

    fps: _PositiveSize = 25.0
    max_score: _PositiveSize = 100.0
    frame_tolerance: _Size = 12.0
    tolerance_ms: _Size | None = None
    decay_per_frame: _Size = 1.0
    aggregation: Aggregation = Aggregation.MEAN
    ground_truth_unit: TimeUnit = TimeUnit.MILLISECONDS


SPEC = ScorerSpec("event_decay", EventDecayParameters, ("score",), has_parts=True, revision=2)
