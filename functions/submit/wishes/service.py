"""Serves players who ask for mail, those who read it, and owners who write to their players.

Anybody may enter an address, so all that it gets is one mail with a link, until its reader posts there.
"""

import base64
import hmac
from dataclasses import dataclass, replace

from scoring_core.scorers.base import describe
from storage.access.players import PlayerStore, is_player_id
from storage.access.quotas import QuotaStore
from storage.access.tokens import Scope, hash_secret
from storage.actors import Actor, Role
from storage.audit import Action, AuditTrail
from storage.aws.errors import retry_on_conflict
from storage.aws.threads import run_at_once
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.boards.reading import BoardReader
from storage.ids import Clock, Randomness
from storage.mail.models import DigestKey, DigestKind, PendingMail, to_seconds
from storage.mail.wishes import Wish
from submit.auth import Caller
from submit.joining.addresses import is_address
from submit.joining.service import check_own
from submit.problems import Problem, forbidden, unprocessable
from submit.quotas import charge_owner
from submit.schemas.base import MAX_CONTENT_BYTES, take_fitting
from submit.services.batches import read_model
from submit.services.benchmarks import find_benchmark, list_published
from submit.services.owners import check_not_archived
from submit.wishes.news import PlayerNews
from submit.wishes.page import CONFIRMING, write_mail_page
from submit.wishes.schemas import (
    Announced,
    AnnouncementRequest,
    WishList,
    WishRequest,
    WishView,
    view_wish,
)

CODE_BYTES = 16
CONFIRMATIONS_PER_DAY = 10
"""Of a player."""
PER_ADDRESS = 3
"""Confirmations a day, whichever players ask for them."""
ANNOUNCEMENTS_PER_DAY = 5
_QUOTA = "@wishes"
_ADDRESS_QUOTA = "@confirmations"
_ANNOUNCING = "@announcements"
"""In the place of a benchmark's id, which none can be."""


@dataclass(frozen=True, slots=True)
class WishService:
    """Serves wishes and announcements."""

    news: PlayerNews
    players: PlayerStore
    benchmarks: BenchmarkStore
    boards: BoardReader
    quotas: QuotaStore
    trail: AuditTrail
    clock: Clock
    randomness: Randomness

    def list_of(self, caller: Caller) -> WishList:
        """Return what a player may be mailed about. Raises Problem 401, 403."""
        account, token = check_own(caller)
        player = account.player.id
        covered = [each for each in list_published(self.benchmarks, unlisted=True) if caller.may(Scope.SUBMIT, each.id)]
        wishes = self.news.wishes.find_all((each.id for each in covered), player)

        def shows(published: PublishedBenchmark) -> bool:
            if token.benchmarks or published.id in wishes:
                return True
            board = self.boards.find(published.id, version=published.version)
            return board is not None and board.find_position(player) is not None

        views = (
            view_wish(each.id, each.definition.title, wishes.get(each.id))
            for each, is_shown in zip(covered, run_at_once(shows, covered), strict=True)
            if is_shown
        )
        return WishList(player=player, benchmarks=list(take_fitting(views, max_bytes=MAX_CONTENT_BYTES)))

    def ask(self, published: PublishedBenchmark, caller: Caller, body: bytes) -> WishView:
        """Store what a player wants to be mailed; a new address is asked to confirm it.

        Raises:
            Problem: 400, 413, 422, the request or address is wrong; 401, 403, the token is not the player's own, or
                does not cover the benchmark; 429, too many addresses were asked today.
        """
        account, _ = check_own(caller)
        player = account.player.id
        if not caller.may(Scope.SUBMIT, published.id):
            raise forbidden("not-covered", f"Authorization: this token does not cover {published.id}")
        request = read_model(body, WishRequest)
        wish = retry_on_conflict(lambda: self._replace(published.id, player, request), what="a wish for mail")
        return view_wish(published.id, published.definition.title, wish)

    def _replace(self, benchmark: str, player: str, request: WishRequest) -> Wish | None:
        """Store a wish in the place of an earlier one. Raises Conflict, Problem 422, 429."""
        before = self.news.wishes.find(benchmark, player)
        if not request.topics:
            self.news.wishes.delete(benchmark, player)
            return None
        address = request.address.strip() if request.address else before.address if before else ""
        if not is_address(address):
            detail = f"address: expected an address such as ada@example.org, found {describe(address)}"
            raise unprocessable("invalid-address", detail, pointer="/address")
        if before is not None and before.confirmed_at is not None and before.address == address:
            wish = replace(before, topics=frozenset(request.topics))
        else:
            code = base64.urlsafe_b64encode(self.randomness(CODE_BYTES)).decode().rstrip("=")
            wish = Wish(
                benchmark=benchmark,
                player=player,
                address=address,
                topics=frozenset(request.topics),
                code=code,
                asked_at=self.clock(),
            )
            self._charge(wish)
        self.news.wishes.put(wish, before=before)
        if wish.confirmed_at is None:
            digest = DigestKey(DigestKind.CONFIRMATION, benchmark, player=player, occasion=hash_secret(wish.code))
            self.news.outbox.add(PendingMail(digest, "", "", to_seconds(wish.asked_at)))
        return wish

    def open(self, benchmark: str, player: str, code: str) -> str:
        """Return the page of a link in a mail; nothing changes."""
        wish, title = self._find(benchmark, player, code)
        return write_mail_page(title, wish)

    def follow(self, benchmark: str, player: str, code: str, body: bytes) -> str:
        """Confirm a wish if the form says so; end it by any other POST (RFC 8058).

        A repeat changes nothing. Raises Busy.
        """
        return retry_on_conflict(lambda: self._follow(benchmark, player, code, body), what="a wish for mail")

    def _follow(self, benchmark: str, player: str, code: str, body: bytes) -> str:
        wish, title = self._find(benchmark, player, code)
        if wish is not None and body == CONFIRMING:
            confirmed = replace(wish, confirmed_at=wish.confirmed_at or self.clock())
            self.news.wishes.put(confirmed, before=wish)
            return write_mail_page(title, confirmed, is_done=True)
        if wish is not None:
            self.news.wishes.delete(benchmark, player)
        return write_mail_page(title, None)

    def announce(self, published: PublishedBenchmark, caller: Caller, body: bytes) -> Announced:
        """Have a text mailed to those players who asked for it, as the owner.

        Raises Problem 400, 401, 403, 409, 413, 422, 429.
        """
        owner = caller.check_owner(published.id)
        check_not_archived(published)
        text = read_model(body, AnnouncementRequest).text.strip()
        if not text:
            raise unprocessable("invalid-text", "text: expected a text, found none", pointer="/text")
        limit = f"an owner may write to players {ANNOUNCEMENTS_PER_DAY} times a day"
        charge_owner(self.quotas, _ANNOUNCING, owner, per_day=ANNOUNCEMENTS_PER_DAY, limit=limit, clock=self.clock)
        subject = hash_secret(text)[:12]
        self.trail.add(owner, Action.ANNOUNCE, benchmark=published.id, subject=subject, detail={"text": text})
        return Announced(announcement=subject, players=self.news.announce(published.id, subject, text))

    def _charge(self, wish: Wish) -> None:
        """Count a mail to an address that has not confirmed yet. Raises Problem 429."""
        limit = f"each player may have {CONFIRMATIONS_PER_DAY} addresses asked a day, and each is asked {PER_ADDRESS}"
        limit += " times at most"
        holders = (
            (_QUOTA, wish.player, CONFIRMATIONS_PER_DAY),
            (_ADDRESS_QUOTA, hash_secret(wish.address.lower()), PER_ADDRESS),
        )
        for name, holder, per_day in holders:
            actor = Actor(id=holder, role=Role.PLAYER)
            charge_owner(self.quotas, name, actor, per_day=per_day, limit=limit, clock=self.clock)

    def _find(self, benchmark: str, player: str, code: str) -> tuple[Wish | None, str]:
        """Return the wish that a link opens (None: none), and the benchmark's title."""
        try:
            title = find_benchmark(self.benchmarks, benchmark).definition.title
        except Problem:
            return None, ""
        wish = self.news.wishes.find(benchmark, player) if is_player_id(player) else None
        is_open = wish is not None and hmac.compare_digest(wish.code.encode(), code.encode("utf-8", "surrogatepass"))
        if wish is None or not is_open or self.players.find(player) is None:
            return None, ""
        return wish, title
