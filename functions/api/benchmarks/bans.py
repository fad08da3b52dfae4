"""Owners ban players and names from a benchmark; each ban can be lifted."""

from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from api.benchmarks.views import BanView, view_ban
from api.reasons import Name, ReasonRequest
from handlers.http.auth import Caller
from handlers.http.problems import not_found
from storage.actors import Actor
from storage.audit import Action, AuditTrail
from storage.gateway.functions import AsyncFunction
from storage.ids import Clock
from storage.players.bans import Ban, BanStore, name_subject
from storage.players.players import PlayerStore, is_player_id
from storage.submissions.models import NAMELESS, Player, PlayerKind


def _check_player(player: str) -> str:
    if not is_player_id(player) or player in NAMELESS:
        raise ValueError("expected the id of a player with a name, as in the address of the player's page")
    return player


class BanRequest(ReasonRequest):
    """A player's id or a guest's name, and the public reason, or `undo`, which lifts the ban."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["player"]}, {"required": ["name"]}]})

    player: Annotated[
        str, AfterValidator(_check_player), Field(json_schema_extra={"pattern": "^[a-z0-9][a-z0-9-]{0,63}$"})
    ] = ""
    name: Name = ""

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if len(self.model_fields_set & {"player", "name"}) != 1:
            raise ValueError("expected player or name, one of the two")
        return self

    @property
    def subject(self) -> str:
        """What the ban is of, as it is stored."""
        return self.player or name_subject(self.name)


@dataclass(frozen=True, slots=True)
class BanService:
    """Serves the owners of benchmarks.

    `rescoring` brings bans to submissions and boards, which each change has begin at once.
    """

    bans: BanStore
    players: PlayerStore
    rescoring: AsyncFunction
    trail: AuditTrail
    clock: Clock

    def list_bans(self, benchmark: str) -> list[BanView]:
        """Return the bans that hold, which everybody may see."""
        return self._view(*self.bans.read(benchmark).active)

    def _view(self, *bans: Ban) -> list[BanView]:
        """Return the views of bans, with the players' names of now."""
        players = [Player(id=ban.subject, name=ban.subject, kind=PlayerKind.HUMAN) for ban in bans]
        names = [player.name for player in self.players.name(players)]
        return [view_ban(ban, name) for ban, name in zip(bans, names, strict=True)]

    def change(self, benchmark: str, caller: Caller, request: BanRequest) -> BanView:
        """Ban a player or a name, or lift the ban; a repeat returns the ban that holds.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 404, there is no such ban; 409, there are too
                many bans.
        """
        owner = caller.check_owner(benchmark)
        changed = (self._lift if request.undo else self._ban)(benchmark, owner, request)
        self.rescoring.hasten({"benchmark": benchmark})
        return self._view(changed)[0]

    def _ban(self, benchmark: str, owner: Actor, request: BanRequest) -> Ban:
        reason = request.reason or ""
        detail = {"reason": reason}
        self.trail.add(owner, Action.BAN, benchmark=benchmark, subject=request.subject, detail=detail)
        ban = Ban(subject=request.subject, name=request.name, reason=reason, at=self.clock())
        return self.bans.put(benchmark, ban)

    def _lift(self, benchmark: str, owner: Actor, request: BanRequest) -> Ban:
        subject = request.subject
        if subject not in self.bans.read(benchmark).stored:
            raise not_found("there is no such ban")
        self.trail.add(owner, Action.LIFT_BAN, benchmark=benchmark, subject=subject)
        ban = self.bans.lift(benchmark, subject, now=self.clock())
        if ban is None:
            raise not_found("there is no such ban")
        return ban
