"""Routes of bans, and of more time for players; the same request of an owner undoes each."""

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from api.benchmarks.views import BanList, BanView, view_ban
from api.dependencies import ApiServices, find_published, identify, make_router, services
from api.reasons import Name, ReasonRequest
from handlers.http import paths
from handlers.http.problems import Problem, not_found
from handlers.http.submission_views import MoreTime
from scoring_core.benchmarks.definition import Moment
from storage.actors import Actor
from storage.audit import Action
from storage.benchmarks.store import PublishedBenchmark
from storage.players.bans import Ban, name_subject, time_subject
from storage.players.players import PLAYER_ID, is_player_id
from storage.submissions.models import NAMELESS, Player, PlayerKind

router = make_router()


def _check_player(player: str) -> str:
    if not is_player_id(player) or player in NAMELESS:
        raise ValueError("expected a player's id, as in the address of the player's page, not a name")
    return player


_PlayerId = Annotated[
    str, AfterValidator(_check_player), Field(json_schema_extra={"pattern": f"^{PLAYER_ID.pattern}$"})
]


class BanRequest(ReasonRequest):
    """A player's id or a guest's name, and the public reason, or `undo`, which lifts the ban."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["player"]}, {"required": ["name"]}]})

    acts: ClassVar = (Action.BAN, Action.LIFT_BAN)
    player: _PlayerId = ""
    name: Name = ""
    until: ClassVar = None

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if len(self.model_fields_set & {"player", "name"}) != 1:
            raise ValueError("expected player or name, one of the two")
        return self

    @property
    def subject(self) -> str:
        """What the ban is of, as it is stored."""
        return self.player or name_subject(self.name)


class ExtensionRequest(ReasonRequest):
    """A player's id, until when there is more time, and the reason for the player; or `undo`, which takes it back."""

    acts: ClassVar = (Action.EXTEND, Action.END_EXTENSION)
    player: _PlayerId
    name: ClassVar = ""
    until: Annotated[Moment | None, Field(strict=False)] = None

    @model_validator(mode="after")
    def _check_until(self) -> Self:
        if self.undo == (self.until is not None):
            raise ValueError("expected until, or undo: true, one of the two")
        return self

    @property
    def subject(self) -> str:
        """What the extension is of, as it is stored."""
        return time_subject(self.player)


@router.get(paths.BANS, tags=["benchmarks"])
def list_bans(benchmark: str) -> BanList:
    """List the banned players and names, and the reasons."""
    stored = services().bans.read(find_published(benchmark).id)
    return BanList(bans=_view(services(), *stored.active))


@router.post(paths.BAN, tags=["benchmarks"])
def post_ban(benchmark: str, request: BanRequest) -> BanView:
    """Ban a player or a guest's name, or lift the ban, for owners; within seconds.

    New results are rejected with the reason, and a player's rows go off the boards until the ban is lifted. A repeat
    returns the ban that holds. Raises Problem 401 or 403 if the caller does not own the benchmark, 404 if there is no
    such ban, 409 if there are too many.
    """
    api, published = services(), find_published(benchmark)
    return _view(api, _change(api, published.id, identify().check_owner(published.id), request))[0]


@router.post(paths.EXTENSION, tags=["benchmarks"])
def post_extension(benchmark: str, request: ExtensionRequest) -> MoreTime:
    """Add time for a player, or take it back, for owners: until then nothing is late.

    Raises Problem as `post_ban`, 404 if there is no such account, 409 if nobody can have time until then.
    """
    api, published = services(), find_published(benchmark)
    owner = identify().check_owner(published.id)
    if request.until is not None:
        _check_time(published, request.until)
        if not request.player.startswith("guest-") and api.players.find(request.player) is None:
            raise not_found("there is no such player")
    changed = _change(api, published.id, owner, request)
    return MoreTime(until=None if changed.lifted_at else changed.until, reason=changed.reason)


def _view(api: ApiServices, *bans: Ban) -> list[BanView]:
    """Return the views of bans, with the players' names of now."""
    players = [Player(id=ban.subject, name=ban.subject, kind=PlayerKind.HUMAN) for ban in bans]
    names = [player.name for player in api.players.name(players)]
    return [view_ban(ban, name) for ban, name in zip(bans, names, strict=True)]


def _change(api: ApiServices, benchmark: str, owner: Actor, request: BanRequest | ExtensionRequest) -> Ban:
    changed = (_lift if request.undo else _ban)(api, benchmark, owner, request)
    api.rescoring.hasten({"benchmark": benchmark})
    return changed


def _ban(api: ApiServices, benchmark: str, owner: Actor, request: BanRequest | ExtensionRequest) -> Ban:
    until, reason = request.until and request.until.astimezone(UTC), request.reason or ""
    detail = {"reason": reason, **({"until": until.isoformat()} if until else {})}
    act, shown = request.acts[0], request.player or request.subject
    api.trail.add(owner, act, benchmark=benchmark, subject=shown, detail=detail)
    ban = Ban(subject=request.subject, name=request.name, reason=reason, at=api.clock(), until=until)
    return api.bans.put(benchmark, ban)


def _lift(api: ApiServices, benchmark: str, owner: Actor, request: BanRequest | ExtensionRequest) -> Ban:
    subject = request.subject
    if subject not in api.bans.read(benchmark).stored:
        raise not_found("there is no such ban or extension")
    api.trail.add(owner, request.acts[1], benchmark=benchmark, subject=request.player or subject)
    ban = api.bans.lift(benchmark, subject, now=api.clock())
    if ban is None:
        raise not_found("there is no such ban or extension")
    return ban


def _check_time(published: PublishedBenchmark, until: datetime) -> None:
    """Check that a player may have time until then. Raises Problem 409."""
    latest = published.active_versions[-1]
    closes, final = latest.definition.closes, latest.definition.final
    detail = None
    if closes is None or until <= closes:
        detail = f"until: expected a time after `closes`, which is {closes.isoformat() if closes else 'not set'}"
    elif latest.is_final:
        detail = "until: the final has begun, and ranks what came in time; nobody can be given more"
    elif final and final.at and until > final.at:
        detail = f"until: expected at most the time of the final, {final.at.isoformat()}; move `final.at` first"
    if detail is not None:
        raise Problem(HTTPStatus.CONFLICT, "no-more-time", detail, [{"pointer": "/until", "detail": detail}])
