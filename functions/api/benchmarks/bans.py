"""Owners ban players and names from a benchmark; each ban can be lifted."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from api.benchmarks.views import BanView, view_ban
from handlers.http.auth import Caller
from handlers.http.bodies import describe_body
from handlers.http.problems import Problem, not_found, unprocessable
from handlers.http.requests import parse_body
from scoring_core.scorers.base import describe
from storage.access.bans import Ban, BanStore, TooManyBans, name_subject
from storage.access.names import InvalidName, check_name, check_reason
from storage.access.players import PlayerStore, is_player_id
from storage.audit import Action, AuditTrail
from storage.aws.functions import AsyncFunction
from storage.ids import Clock
from storage.submissions.models import NAMELESS, Player, PlayerKind

MAX_BODY_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class BanService:
    """Serves the owners of benchmarks.

    `rescoring` returns the function that brings bans to submissions and boards, which each change has begin at once.
    """

    bans: BanStore
    players: PlayerStore
    rescoring: Callable[[], AsyncFunction]
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

    def ban(self, benchmark: str, caller: Caller, body: bytes) -> BanView:
        """Ban a player or a name; a repeat returns the ban that holds.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 400, 413, 422, the request is wrong; 409, there
                are too many bans.
        """
        owner = caller.check_owner(benchmark)
        given = _read_body(body, "player", "name", "reason")
        subject, name = _read_subject(given)
        try:
            reason = check_reason(given.get("reason", ""))
        except InvalidName as error:
            raise unprocessable("invalid-reason", f"reason: {error}", pointer="/reason") from error
        self.trail.add(owner, Action.BAN, benchmark=benchmark, subject=subject, detail={"reason": reason})
        ban = Ban(subject=subject, name=name, reason=reason, at=self.clock())
        try:
            held = self.bans.put(benchmark, ban)
        except TooManyBans as error:
            raise Problem(HTTPStatus.CONFLICT, "too-many-bans", str(error)) from error
        self.rescoring().hasten({"benchmark": benchmark})
        return self._view(held)[0]

    def lift(self, benchmark: str, caller: Caller, body: bytes) -> BanView:
        """Lift a ban. Raises Problem 400, 401, 403, 404, 413, 422."""
        owner = caller.check_owner(benchmark)
        subject, _ = _read_subject(_read_body(body, "player", "name"))
        if subject not in self.bans.read(benchmark).stored:
            raise not_found("there is no such ban")
        self.trail.add(owner, Action.LIFT_BAN, benchmark=benchmark, subject=subject)
        ban = self.bans.lift(benchmark, subject, now=self.clock())
        if ban is None:
            raise not_found("there is no such ban")
        self.rescoring().hasten({"benchmark": benchmark})
        return self._view(ban)[0]


def _read_body(body: bytes, *names: str) -> dict[str, str]:
    """Return the texts of a request. Raises Problem 400, 413, 422."""
    value = parse_body(body, max_bytes=MAX_BODY_BYTES)
    expected = f"an object with {' or '.join(names[:2])}{''.join(f', and {name}' for name in names[2:])}"
    if not isinstance(value, dict) or not set(value) <= set(names):
        raise unprocessable("not-a-ban", f"body: expected {expected}, found {describe_body(value)}", pointer="")
    for name, text in value.items():
        if not isinstance(text, str):
            raise unprocessable("not-a-ban", f"{name}: expected a text, found {describe(text)}", pointer=f"/{name}")
    if ("player" in value) == ("name" in value):
        raise unprocessable("not-a-ban", f"body: expected {expected}, one of the two", pointer="")
    return value


def _read_subject(given: dict[str, str]) -> tuple[str, str]:
    """Return the subject of a ban, and the name that is banned. Raises Problem 422."""
    if "player" in given:
        player = given["player"]
        if not is_player_id(player) or player in NAMELESS:
            expected = "the id of a player with a name, as in the address of the player's page"
            raise unprocessable("invalid-player", f"player: expected {expected}", pointer="/player")
        return player, ""
    try:
        name = check_name(given["name"])
    except InvalidName as error:
        raise unprocessable("invalid-name", f"name: {error}", pointer="/name") from error
    return name_subject(name), name
