"""Requests and answers of administrators."""

from typing import Annotated, Literal

from pydantic import Field

from handlers.http.bodies import LenientBody
from handlers.http.views import View
from scoring_core.benchmarks.definition import MAIL_ADDRESS
from storage.audit import AuditEntry
from storage.benchmarks.operations import MAX_HOURS
from storage.submissions.models import PlayerKind

_AnyScope = Literal["submit", "host", "own", "organise", "admin"]


class TokenRequest(LenientBody):
    """What a token is to be.

    A new player is made; of one that exists, name, kind and email stay as they are unless they are given.
    """

    player: Annotated[str, Field(max_length=100, description="The player's id: 1-64 of a-z, 0-9 and -.")]
    name: Annotated[str, Field(min_length=1, max_length=1000)] | None = Field(
        default=None, description="The name that is shown; default: the id."
    )
    rename: Annotated[bool, Field(strict=True, description="Whether a player who exists gets another `name`.")] = False
    kind: Literal[PlayerKind.HUMAN, PlayerKind.MODEL] | None = Field(default=None, description="Default: human.")
    email: Annotated[str, Field(pattern=MAIL_ADDRESS, max_length=254, description="Where mails go.")] | None = None
    benchmarks: Annotated[list[str], Field(max_length=100, description="What it covers; none: all benchmarks.")] = (
        Field(default=[])
    )
    scopes: list[_AnyScope] = Field(default=["submit"], min_length=1, max_length=5)
    hours: Annotated[int, Field(ge=1, le=MAX_HOURS)] | None = Field(default=None, description="How long it lasts.")


class AuditList(View):
    """Entries of the audit trail, the oldest first: who did what, in which role."""

    entries: list[AuditEntry]
    next: str | None = Field(description="The `cursor` of the page that follows; null at the end.")
