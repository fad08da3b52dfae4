"""What the models of all answers have in common."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from storage.submissions.models import Player, Submission


class View(BaseModel):
    """What the API answers; built when it is first used."""

    model_config = ConfigDict(frozen=True, defer_build=True)


def submission_members(submission: Submission) -> dict[str, object]:
    """Give what tells a submission, for a model that shows one."""
    return {
        "submission": submission.id,
        "benchmark": submission.benchmark,
        **player_members(submission.player),
        "submitted_at": submission.submitted_at,
    }


def player_members(player: Player) -> dict[str, Any]:
    """Give what tells a player, for a model that shows one."""
    return {"player": player.id, "name": player.name, "kind": player.kind, "verified": player.verified}
