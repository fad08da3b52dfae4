"""Requests and answers about invitations and tokens."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from handlers.http.bodies import LenientBody
from handlers.http.views import View
from storage.players.invitations import MAX_USES, Invitation, InvitationState
from storage.players.players import Account
from storage.players.tokens import Scope, Token
from storage.submissions.models import PlayerKind

MAX_DAYS = 365
MAX_MAILED = 90
"""Invitations of one request: they are stored in one transaction."""


class MailedState(StrEnum):
    """What became of the mail with a link; after 30 days it is unknown."""

    WAITING = "waiting"
    SENT = "sent"
    REFUSED = "refused"
    BOUNCED = "bounced"
    UNKNOWN = "unknown"


class MemberRequest(LenientBody):
    """What an invitation to be a member of the caller's player is to be."""

    uses: Annotated[int, Field(ge=1, le=MAX_USES, strict=True, description="How many may come by the link.")] = 1
    days: Annotated[int, Field(ge=1, le=MAX_DAYS, description="How many days the link works.")] = 14
    note: Annotated[str, Field(max_length=64, description="What you call it; only you see that.")] = ""


_Allowed = Annotated[
    list[Literal[Scope.SUBMIT, Scope.HOST, Scope.OWN, Scope.WORK]],
    Field(min_length=1, max_length=4, description="The scopes of the tokens; `own` makes owners, `work` runners."),
]


class InvitationRequest(MemberRequest):
    """What an owner's invitation to a benchmark is to be."""

    allows: _Allowed = Field(default=[Scope.SUBMIT])
    player: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9-]{0,63}$")] | None = Field(
        default=None,
        description="A player who came by an invitation to this benchmark and has lost the token, or whose rows "
        "were taken over, who then claims them. For administrators any player.",
    )
    mail: Annotated[
        bool, Field(strict=True, description="For administrators: whether the player also gets it by mail.")
    ] = False


_Line = Annotated[str, Field(max_length=1000)]


class MailRequest(MemberRequest):
    """Whom an owner invites by mail, each with a link of its own."""

    uses: Annotated[Literal[1], Field(description="Each link is for one.")] = 1
    allows: _Allowed = Field(default=[Scope.SUBMIT])
    addresses: Annotated[list[_Line], Field(max_length=1000)] = Field(
        description="Lines: addresses, `Ada <ada@example.org>`, or rows of a table that has a column of addresses, as "
        f"courses export it; at most {MAX_MAILED} addresses. A name beside one is its note, if there is no other."
    )


class CodeRequest(LenientBody):
    """The code of an invitation, from its link."""

    code: Annotated[str, Field(max_length=100)]


class JoinRequest(CodeRequest):
    """The code of an invitation, and who joins."""

    name: Annotated[str, Field(min_length=1, max_length=1000)] | None = Field(
        default=None,
        description="The name of the new player or member; none where the link is a player's who lost a token, or with "
        "a token, whose player then joins.",
    )
    kind: Literal[PlayerKind.HUMAN, PlayerKind.MODEL] = Field(default=PlayerKind.HUMAN, description="Of a new player.")
    accept_rules: Annotated[bool, Field(strict=True, description="Whether the `rules` of the link are accepted.")] = (
        False
    )


class RevokeRequest(LenientBody):
    """What ends with an invitation."""

    tokens: Annotated[
        bool, Field(strict=True, description="Whether the tokens that were issued for it are revoked, too.")
    ] = False


class InvitationView(View):
    """An invitation."""

    invitation: str = Field(description="Its id, which opens nothing.")
    state: InvitationState
    note: str
    allows: list[Scope]
    benchmarks: list[str] = Field(description="What the tokens cover; empty: all benchmarks.")
    player: str | None = Field(description="Whose tokens they are; null if each is a new player's.")
    member: bool = Field(description="Whether they are tokens of members.")
    uses: int
    used: list[str] = Field(description="The players who came.")
    ends_at: datetime
    address: str | None = Field(description="Where the link was mailed; null: nowhere, or it is erased.")
    mail: MailedState | None = Field(description="What became of that mail.")


class InvitationMade(InvitationView):
    """A new invitation, and its link."""

    code: str = Field(description="What opens it; it is never shown again.")
    path: str = Field(description="The link, on the site's host.")


class InvitationList(View):
    """Invitations, the newest first, until 30 days after their end."""

    invitations: list[InvitationView]
    names: dict[str, str] = Field(default={}, description="How the players who came are named now, by their ids.")


class UnreadLine(View):
    """A line of a list without an address."""

    line: int = Field(description="Its number; the first is 1.")
    detail: str


class InvitationsMailed(InvitationList):
    """The invitations that are mailed, in the order of their addresses."""

    skipped: list[str] = Field(description="Addresses whose earlier link is still open, or that got three mails today.")
    unread: list[UnreadLine] = Field(description="Lines that name nobody: correct them, and send them again.")


class OpenedInvitation(View):
    """What a link is for."""

    state: InvitationState
    allows: list[Scope]
    benchmarks: list[str]
    title: str | None = Field(description="Of the benchmark, if it is one.")
    player_name: str | None = Field(description="The player whose token it is; null if it makes a new player.")
    member: bool = Field(description="Whether one becomes a member of that player.")
    rules: dict[str, str] = Field(description="Benchmark → the rules to accept: a line, or the address of a text.")
    uses: int = Field(description="How often it may be used: who loses the token of a link of one use needs another.")
    ends_at: datetime


class TokenView(View):
    """A token that holds, without its secret."""

    token: str = Field(description="Its id, which opens nothing.")
    current: bool = Field(description="Whether it is the one that was sent.")
    member: str | None = Field(description="The name of the member who has it; null if it is the player's own.")
    allows: list[Scope]
    benchmarks: list[str] = Field(description="What it covers; empty: all benchmarks.")
    created_at: datetime
    ends_at: datetime | None
    rules_accepted_at: datetime | None = Field(description="When the rules of the benchmarks were accepted.")


class TokenIssued(View):
    """A new token, which is shown only in this answer and in its repeats."""

    secret: str = Field(description="The token.")
    player: str
    name: str
    kind: PlayerKind
    token: TokenView


class TokenList(View):
    """The tokens of a player that hold, the oldest first, and its invitations of members."""

    player: str
    name: str
    tokens: list[TokenView]
    invitations: list[InvitationView]


def view_invitation(invitation: Invitation, *, now: datetime, mail: MailedState | None = None) -> InvitationView:
    """Return the view of an invitation; `mail` is what became of its mail."""
    return InvitationView(
        invitation=invitation.id,
        state=invitation.state_at(now),
        note=invitation.note,
        allows=sorted(invitation.scopes),
        benchmarks=list(invitation.benchmarks),
        player=invitation.player,
        member=invitation.is_member,
        uses=invitation.max_uses,
        used=list(invitation.used),
        ends_at=invitation.ends_at,
        address=invitation.address,
        mail=mail,
    )


def view_issued(secret: str, token: Token, account: Account) -> TokenIssued:
    """Return the view of a new token and its player."""
    player = account.player
    return TokenIssued(
        secret=secret, player=player.id, name=player.name, kind=player.kind, token=view_token(token, current=token.id)
    )


def view_token(token: Token, *, current: str | None) -> TokenView:
    """Return the view of a token; `current` is the id of the one that was sent."""
    return TokenView(
        token=token.id,
        current=token.id == current,
        member=token.member,
        allows=sorted(token.scopes),
        benchmarks=list(token.benchmarks),
        created_at=token.created_at,
        ends_at=token.ends_at,
        rules_accepted_at=token.rules_accepted_at,
    )
