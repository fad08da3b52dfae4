"""Answers about a player over all benchmarks, and the request to erase one."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from storage.submissions.models import PlayerKind
from submit.schemas.base import View
from submit.schemas.players import PlayerView


class ErasureRequest(BaseModel):
    """Whom to erase."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    confirm: str = Field(max_length=64, description="The id of the player who is erased, as the export has it.")


class PlayerCard(View):
    """A player."""

    player: str
    name: str
    kind: PlayerKind
    verified: bool


class PlayerBoard(View):
    """A benchmark whose main board shows a player."""

    benchmark: str
    title: str
    rank: int
    total: int = Field(description="How many rows the board has.")
    submissions: int = Field(description="How many scored submissions the board counts.")
    scores: dict[str, int | float]


class PlayerBoards(PlayerCard):
    """A player and the benchmarks whose main boards show one, in order of their ids."""

    benchmarks: list[PlayerBoard]


class OwnData(PlayerCard):
    """What is kept of a player, by benchmark; the raw results are at `/api/benchmarks/B/submissions/S/result`."""

    email: str | None = Field(description="Where mail goes; null for guests, and if there is no address.")
    created_at: datetime | None = Field(description="When the account was made; null for guests.")
    invited_at: list[str] = Field(description="Addresses to which the links were mailed by which the player came.")
    benchmarks: dict[str, PlayerView] = Field(
        description="The newest 50 submissions of each; `next` is the `cursor` of older ones at "
        "`/api/benchmarks/B/players/PLAYER`."
    )
    next: str | None = Field(description="The `after` of the benchmarks that follow; null at the end.")


class Erased(View):
    """A player who is erased. The rows leave the boards within seconds."""

    player: str
    benchmarks: list[str] = Field(description="The listed benchmarks on which nothing of the player counts any more.")
