"""Wishes: what a player asked to be mailed about, of one benchmark, and the address, which must confirm it.

One item each in the mail table, a benchmark's in one partition. An address gets nothing but the mail that asks it to
confirm, until somebody who reads that mail does.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from storage.aws.attributes import Plain, to_moment, to_text
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.mail.models import DigestKey, DigestKind, PendingMail, to_seconds

CONFIRMED_WITHIN = timedelta(days=7)
"""After that a wish that nobody confirmed is deleted, with its address."""


class WishTopic(StrEnum):
    """What a player may be mailed about."""

    BEATEN = "beaten"
    REVIEWED = "reviewed"
    CLOSING = "closing"
    ANNOUNCED = "announced"


TOPICS: Mapping[WishTopic, str] = {
    WishTopic.BEATEN: "when others pass you on the main board",
    WishTopic.REVIEWED: "when the owner decides about a submission of yours in review",
    WishTopic.CLOSING: "when the benchmark is about to close",
    WishTopic.ANNOUNCED: "when the owner writes to all players",
}
"""When there is mail about each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A wish.

    `code` opens the page on which it is confirmed or ended; it is in mails to `address` alone. `confirmed_at` is None
    until that is done. `rank` is the player's on the main board when it was last looked at, and all that tells whether
    others passed since, as text; None if nobody looked.
    """

    benchmark: str
    player: str
    address: str
    topics: frozenset[WishTopic]
    code: str
    asked_at: datetime
    confirmed_at: datetime | None = None
    rank: str | None = None

    def wants(self, topic: WishTopic) -> bool:
        """Return whether mail about a topic may be sent."""
        return self.confirmed_at is not None and topic in self.topics


@dataclass(frozen=True, slots=True)
class WishStore:
    """The wishes in the mail table. Each change is on condition that the code is the one that was read."""

    table: Table

    def find(self, benchmark: str, player: str) -> Wish | None:
        """Read a wish (consistent), confirmed or not; None if there is none."""
        plain = self.table.get(Schema.WISH, **_key(benchmark, player))
        return None if plain is None else _from_item(plain)

    def find_all(self, benchmarks: Iterable[str], player: str) -> dict[str, Wish]:
        """Return benchmark → wish, of a player (consistent). Raises Busy."""
        items = self.table.get_many(_key(benchmark, player) for benchmark in benchmarks)
        wishes = [_from_item(Schema.WISH.read(item)) for item in items]
        return {wish.benchmark: wish for wish in wishes}

    def list_of(self, benchmark: str) -> Iterator[Wish]:
        """Yield the wishes about a benchmark, confirmed or not (consistent)."""
        for item in self.table.query(key=("thread", _partition(benchmark))):
            yield _from_item(Schema.WISH.read(item))

    def put(self, wish: Wish, *, before: Wish | None) -> None:
        """Store a wish in the place of the one that was read. Raises Conflict."""
        condition, values = ("#code = :seen", {"seen": before.code}) if before else ("attribute_not_exists(#item)", {})
        self.table.put(Schema.WISH, _to_item(wish), condition=condition, values=values)

    def note_rank(self, wish: Wish, rank: str) -> None:
        """Note where a player is now; what else of a wish changed meanwhile stays.

        Raises Conflict if it has ended.
        """
        key, seen = _key(wish.benchmark, wish.player), {"seen": wish.code}
        self.table.update(Schema.WISH, key, attributes={"rank": rank}, condition="#code = :seen", values=seen)

    def delete(self, benchmark: str, player: str) -> None:
        """Delete a wish with its address, if there is one."""
        self.table.delete(thread=_partition(benchmark), item=player)


def plan_news(wish: Wish, topic: WishTopic, subject: str, *, now: datetime, text: str = "") -> PendingMail:
    """Return the mail about something that happened once to the player of a wish.

    Args:
        wish: The wish; it is read again when the mail is sent.
        topic: What it is about.
        subject: What happened: nobody is mailed about the same subject twice.
        now: The time.
        text: What the mail says of it: of `beaten` JSON of rank before, rank and number of rows, of `reviewed` of the
            submission, the decision and its reason, of `announced` the text itself.
    """
    digest = DigestKey(DigestKind.NEWS, wish.benchmark, player=wish.player)
    return PendingMail(digest, subject, topic, to_seconds(now), text=text)


def _to_item(wish: Wish) -> dict[str, Plain | None]:
    return {
        **_key(wish.benchmark, wish.player),
        "address": wish.address,
        "topics": ",".join(sorted(wish.topics)),
        "code": wish.code,
        "asked_at": wish.asked_at.isoformat(),
        "confirmed_at": wish.confirmed_at.isoformat() if wish.confirmed_at else None,
        "rank": wish.rank,
        "expires_at": None if wish.confirmed_at else int((wish.asked_at + CONFIRMED_WITHIN).timestamp()),
    }


def _from_item(plain: Mapping[str, Plain]) -> Wish:
    return Wish(
        benchmark=str(plain["thread"]).removeprefix(_partition("")),
        player=str(plain["item"]),
        address=str(plain["address"]),
        topics=frozenset(map(WishTopic, str(plain["topics"]).split(","))),
        code=str(plain["code"]),
        asked_at=datetime.fromisoformat(str(plain["asked_at"])),
        confirmed_at=to_moment(plain.get("confirmed_at")),
        rank=to_text(plain.get("rank")),
    )


def _partition(benchmark: str) -> str:
    return f"wishes#{benchmark}"


def _key(benchmark: str, player: str) -> dict[str, str]:
    return {"thread": _partition(benchmark), "item": player}
