"""What all answers of the API share: their base model, common fields, and how large they may be."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from storage.submissions.models import Player, Submission

MAX_CONTENT_BYTES: Final = 5_900_000
"""Limit of an answer's body. What may be longer is paged, or linked."""


class View(BaseModel):
    """A part of an answer; pydantic builds it on first use."""

    model_config = ConfigDict(frozen=True, defer_build=True, validate_by_name=True, serialize_by_alias=True)


def submission_members(submission: Submission) -> dict[str, object]:
    """Return the fields that every model of a submission has."""
    return {
        "submission": submission.id,
        "benchmark": submission.benchmark,
        **player_members(submission.player),
        "label": submission.label,
        "submitted_at": submission.submitted_at,
    }


def player_members(player: Player) -> dict[str, Any]:
    """Return the fields that every model of a player has."""
    return {"player": player.id, "name": player.name, "kind": player.kind, "verified": player.verified}


def measure_bytes(body: BaseModel | object) -> int:
    r"""Return how many bytes a body takes as a JSON string in Lambda's answer.

    >>> measure_bytes({"é": "\x01"})
    26
    """
    value = body.model_dump(mode="json") if isinstance(body, BaseModel) else body
    return len(json.dumps(json.dumps(value))) - 2


def take_fitting[Part: BaseModel](parts: Iterable[Part], *, max_bytes: int) -> Iterator[Part]:
    """Yield the first part of an answer, and others as long as there is room.

    Args:
        parts: In order; what does not fit ends them.
        max_bytes: The room.
    """
    for number, part in enumerate(parts):
        max_bytes -= measure_bytes(part)
        if max_bytes < 0 and number > 0:
            return
        yield part
