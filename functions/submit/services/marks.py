"""What owners mark: they ban players and names from a benchmark, and archive it; each mark can be taken back."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus

from scoring_core.benchmarks.terms import ArchiveMark
from scoring_core.scorers.base import describe
from storage.access.archives import ArchiveStore, Deletion
from storage.access.bans import Ban, BanStore, TooManyBans, name_subject
from storage.access.joining.invitations import InvitationStore, holder_of_benchmark
from storage.access.names import InvalidName, check_name, check_reason
from storage.access.players import PlayerStore, is_player_id
from storage.audit import Action, AuditTrail
from storage.aws.errors import Conflict
from storage.aws.functions import AsyncFunction
from storage.batches.uploads import BatchUploadStore
from storage.benchmarks.store import BenchmarkStore
from storage.ids import Clock
from storage.submissions.models import NAMELESS, Player, PlayerKind
from submit.auth import Caller
from submit.problems import Problem, not_found, unprocessable
from submit.requests import parse_body
from submit.schemas.benchmarks import ArchiveView, BanView, DeletionRequest, DeletionView, view_ban
from submit.services.batches import describe_body, read_model
from submit.services.benchmarks import find_benchmark
from submit.services.owners import MAX_REASON_BODY_BYTES, check_public_reason

MAX_BODY_BYTES = 10_000
SETTLING = timedelta(seconds=120)
"""Longer than what accepts results may know the pointer of before, and take to store one."""


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


@dataclass(frozen=True, slots=True)
class ArchiveService:
    """Serves the owners of benchmarks.

    `rescoring` returns the function that brings archiving to submissions, lists and boards; each change begins it.
    """

    archives: ArchiveStore
    benchmarks: BenchmarkStore
    batches: BatchUploadStore
    invitations: InvitationStore
    rescoring: Callable[[], AsyncFunction]
    trail: AuditTrail
    clock: Clock

    def archive(self, benchmark: str, caller: Caller, body: bytes) -> ArchiveView:
        """Archive a benchmark; a repeat returns the first time and reason.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 400, 413, 422, the request is wrong.
        """
        owner = caller.check_owner(benchmark)
        mark = ArchiveMark(self.clock(), read_optional_reason(body))
        stored = self.archives.find(benchmark)
        if stored is None:
            detail = {"reason": mark.reason} if mark.reason else {}
            self.trail.add(owner, Action.ARCHIVE, benchmark=benchmark, detail=detail)
            stored = mark if self.archives.put(benchmark, mark) else self.archives.find(benchmark)
            self.rescoring().hasten({"benchmark": benchmark})
        return ArchiveView(benchmark=benchmark, archived=stored)

    def undo(self, benchmark: str, caller: Caller) -> ArchiveView:
        """Bring a benchmark back if it is archived. Raises Problem 401, 403, 409."""
        owner = caller.check_owner(benchmark)
        mark = self.archives.find(benchmark)
        if mark is not None:
            self.trail.add(owner, Action.UNARCHIVE, benchmark=benchmark)
            self._undo(benchmark, mark)
            self.rescoring().hasten({"benchmark": benchmark})
        return ArchiveView(benchmark=benchmark, archived=None)

    def _undo(self, benchmark: str, mark: ArchiveMark) -> None:
        """Delete the mark of a benchmark that is not being deleted. Raises Problem 409."""
        deletion = self.archives.find_deletion(benchmark)
        published = find_benchmark(self.benchmarks, benchmark)
        try:
            if deletion is not None and deletion.publish_number != published.publish_number:
                self.archives.finish(benchmark, deletion)  # it was for another benchmark of the id
            else:
                self.archives.undo(benchmark, mark)
        except Conflict as error:
            raise Problem(HTTPStatus.CONFLICT, "being-deleted", f"{benchmark} is being deleted") from error

    def delete(self, benchmark: str, caller: Caller, body: bytes) -> DeletionView:
        """Have an archived benchmark deleted to which nobody has submitted.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 400, 413, 422, the request is wrong, or confirms
                another one; 409, it has submissions, or has not been archived for long enough.
        """
        owner = caller.check_owner(benchmark)
        if read_model(body, DeletionRequest).confirm != benchmark:
            raise unprocessable("not-confirmed", f"confirm: expected {benchmark}", pointer="/confirm")
        mark, published = self.archives.find(benchmark), find_benchmark(self.benchmarks, benchmark)
        written = self.benchmarks.find_written(benchmark)
        # Who accepts results knows of an archive half a minute after its pointer, and needs a request's time to store.
        if mark is None or published.archived != mark or written is None or self.clock() - written < SETTLING:
            detail = f"archive it first, and delete it {SETTLING.seconds} seconds later: {benchmark} may get results"
            raise Problem(HTTPStatus.CONFLICT, "not-archived", detail)
        if self.benchmarks.has_results(benchmark) or self.batches.has_any(benchmark):
            detail = f"somebody has submitted to {benchmark}, so it can only be archived"
            raise Problem(HTTPStatus.CONFLICT, "has-submissions", detail)
        self.trail.add(owner, Action.DELETE, benchmark=benchmark)
        self.invitations.revoke_all(holder_of_benchmark(benchmark), now=self.clock())
        if not self.archives.put_deletion(benchmark, mark, Deletion(published.publish_number, owner.id)):
            raise Problem(HTTPStatus.CONFLICT, "not-archived", "the archive was undone at this moment")
        self.rescoring().hasten({"benchmark": benchmark})
        return DeletionView(benchmark=benchmark)


def read_optional_reason(body: bytes) -> str | None:
    """Return the public reason, if there is one. Raises Problem 400, 413, 422."""
    value = parse_body(body, max_bytes=MAX_REASON_BODY_BYTES)
    if not isinstance(value, dict) or not set(value) <= {"reason"}:
        detail = f'body: expected {{"reason": "…"}}, or {{}} without a reason, found {describe_body(value)}'
        raise unprocessable("not-a-reason", detail, pointer="")
    return check_public_reason(value["reason"]) if "reason" in value else None
