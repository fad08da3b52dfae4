"""`event_decay`: points in a video against events; the score decays with the distance from an event's middle."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from scoring_core.scorers.base import ScorerSpec

# The bounds keep every product of parameters and points far from where doubles overflow.
type _Size = Annotated[float, Field(strict=True, ge=0, le=1e9)]
type _PositiveSize = Annotated[float, Field(strict=True, ge=1e-9, le=1e9)]


class Aggregation(StrEnum):
    """How the scores of a question's events become its score."""

    MEAN = "mean"
    MIN = "min"
    SUM = "sum"


class TimeUnit(StrEnum):
    """The unit of the points of KIS and QA questions in the ground truth."""

    MILLISECONDS = "milliseconds"
    FRAME = "frame"


class EventDecayParameters(BaseModel):
    """The `parameters:` of a benchmark with this scorer.

    Args:
        fps: Frames per second of every video.
        max_score: The score of a hit in the middle of an event.
        frame_tolerance: How far outside an event, in frames, a value still counts.
        decay_per_frame: Subtracted for each frame of distance from the middle.
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
        """The duration of a frame."""
        return 1000 / self.fps


SPEC = ScorerSpec("event_decay", EventDecayParameters, ("score",), has_parts=True)
