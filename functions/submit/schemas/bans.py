"""Answers about bans."""

from datetime import datetime

from pydantic import Field

from storage.access.bans import Ban
from storage.access.players import is_player_id
from submit.schemas.base import View


class BanView(View):
    """A banned player or name, and the public reason."""

    player: str | None = Field(description="The player's id; null if a name is banned.")
    name: str | None = Field(description="The banned name, and all that look like it; null if a player is banned.")
    reason: str
    at: datetime
    lifted_at: datetime | None = Field(default=None, description="When the ban was lifted, in the answer to that.")


class BanList(View):
    """The bans of a benchmark, the oldest first."""

    bans: list[BanView]


def view_ban(ban: Ban) -> BanView:
    """Return the view of a ban."""
    is_player = is_player_id(ban.subject)
    player, name = (ban.subject, None) if is_player else (None, ban.name)
    return BanView(player=player, name=name, reason=ban.reason, at=ban.at, lifted_at=ban.lifted_at)
