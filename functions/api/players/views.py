"""Answers about players."""

from datetime import datetime

from pydantic import Field

from api.submissions.views import ListedSubmission
from handlers.http.bodies import Body
from handlers.http.views import View
from storage.submissions.models import PlayerKind


class PlayerPart(View):
    """What counts of a player for one part."""

    part: str
    scores: dict[str, int | float] | None = Field(description="Null if the player has no scored submission of it.")


class ImprovementView(View):
    """A submission that improved what a player has on the main board."""

    submission: str
    submitted_at: datetime
    value: int | float = Field(description="Of the metric that decides the rank, after it.")


class PlayerCard(View):
    """A player."""

    player: str
    name: str
    kind: PlayerKind
    verified: bool


class PlayerView(PlayerCard):
    """A player's rank, and what it rests on."""

    rank: int | None = Field(description="The current rank; null if the board does not show the player.")
    banned: str | None = Field(description="The public reason if the player is banned.")
    total: int | None = Field(description="How many rows the board has.")
    players: int | None = Field(description="How many players the board has.")
    submissions: int = Field(description="How many scored submissions the board counts.")
    scores: dict[str, int | float] = Field(description="As the board shows them.")
    parts: list[PlayerPart] = Field(
        default=[], description="Every part of the benchmark, in its order; empty if it has none or the player no row."
    )
    improvements: list[ImprovementView] = Field(
        default=[], description="Of the row on the main board, the oldest first: every one, or of more than 50 some."
    )


class ErasureRequest(Body):
    """Whom to erase."""

    confirm: str = Field(max_length=64, description="The id of the player who is erased, as the export has it.")


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


class OwnView(PlayerView):
    """What one benchmark has of a player, with a page of the submissions."""

    history: list[ListedSubmission] = Field(description="Newest first.")
    next: str | None = Field(
        description="The `cursor` of older ones at `/api/benchmarks/B/submissions?player=PLAYER`; null at the end."
    )


class OwnData(PlayerCard):
    """What is kept of a player, by benchmark; the raw results are at `/api/benchmarks/B/submissions/S/result`."""

    email: str | None = Field(description="Where mail goes; null for guests, and if there is no address.")
    created_at: datetime | None = Field(description="When the account was made; null for guests.")
    invited_at: list[str] = Field(description="Addresses to which the links were mailed by which the player came.")
    benchmarks: dict[str, OwnView] = Field(description="The newest 50 submissions of each.")
    next: str | None = Field(description="The `after` of the benchmarks that follow; null at the end.")


class Erased(View):
    """A player who is erased. The rows leave the boards within seconds."""

    player: str
    benchmarks: list[str] = Field(description="The listed benchmarks on which nothing of the player counts any more.")
