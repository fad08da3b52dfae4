"""Requests and answers about the mail that players ask for."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from storage.mail.wishes import Wish, WishTopic
from submit.schemas.base import View

MAX_TEXT = 2_000
_Topic = Literal[WishTopic.BEATEN, WishTopic.REVIEWED, WishTopic.CLOSING, WishTopic.ANNOUNCED]


class WishRequest(BaseModel):
    """What a player wants to be mailed about a benchmark, and where."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    topics: Annotated[list[_Topic], Field(max_length=8)] = Field(
        description="None: no mail, and the address is deleted."
    )
    address: Annotated[str, Field(max_length=254, json_schema_extra={"format": "email"})] | None = Field(
        default=None, description="Another address than before must be confirmed. Null: as before."
    )


class WishView(View):
    """What a player is mailed about a benchmark."""

    benchmark: str
    title: str
    topics: list[WishTopic]
    address: str | None = Field(description="Where mail goes; null if nothing is asked for.")
    confirmed: bool = Field(description="Whether the address was confirmed; nothing is sent before.")


class WishList(View):
    """What a player may be mailed about: the benchmarks that a token names, or else those that show the player."""

    player: str
    benchmarks: list[WishView]


class AnnouncementRequest(BaseModel):
    """What an owner writes to the players of a benchmark who asked for that."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: Annotated[str, Field(max_length=MAX_TEXT, description="Plain text. The same text is mailed once.")]


class Announced(View):
    """An announcement that is on its way."""

    announcement: str
    players: int = Field(description="How many asked for it. Each gets it within a day.")


def view_wish(benchmark: str, title: str, wish: Wish | None) -> WishView:
    """Return what a player is mailed about a benchmark."""
    return WishView(
        benchmark=benchmark,
        title=title,
        topics=sorted(wish.topics) if wish else [],
        address=wish and wish.address,
        confirmed=wish is not None and wish.confirmed_at is not None,
    )
