"""Finds what players asked to be mailed about: daily, who was passed on a board, and what closes soon."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from scoring_core.ranking.order import Place
from storage.aws.errors import Conflict, NotFound
from storage.aws.threads import run_at_once
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.boards.reading import BoardReader, ShownBoard
from storage.ids import Clock
from storage.mail.outbox import NEWS_INTERVAL, MailOutbox
from storage.mail.wishes import Wish, WishStore, WishTopic, plan_news

SOON: Final = timedelta(days=1) + NEWS_INTERVAL
"""A day ahead, and as long as the mail may have to wait for the one before it."""


@dataclass(frozen=True, slots=True)
class NewsFinder:
    """Compares the ranks of those who asked with the ranks of the day before."""

    benchmarks: BenchmarkStore
    wishes: WishStore
    boards: BoardReader
    outbox: MailOutbox
    clock: Clock

    def find(self, benchmark: str) -> bool:
        """Add the pending mails of a day; return whether anybody wants mail.

        Repeated on the same day it adds nothing.
        """
        try:
            published = self.benchmarks.current(benchmark, fresh=True)
        except NotFound:  # being published for the first time
            return False
        now, listed = self.clock(), [] if published.archived else self.wishes.list_of(benchmark)
        wishes = [wish for wish in listed if wish.player not in published.bans]
        self._note_closing(published, [wish for wish in wishes if wish.wants(WishTopic.CLOSING)], now)
        watching = [wish for wish in wishes if wish.wants(WishTopic.BEATEN)]
        shown = self.boards.find(benchmark, version=published.version) if watching else None
        if shown is not None:
            run_at_once(lambda wish: self._compare(shown, wish, now), watching)
        return bool(wishes)

    def _note_closing(self, published: PublishedBenchmark, wishes: Sequence[Wish], now: datetime) -> None:
        closes = published.definition.closes
        if closes is not None and now < closes <= now + SOON:
            subject = closes.isoformat()
            run_at_once(lambda wish: self.outbox.add(plan_news(wish, WishTopic.CLOSING, subject, now=now)), wishes)

    def _compare(self, shown: ShownBoard, wish: Wish, now: datetime) -> None:
        """Add a mail if others passed a player, and note where the player is now."""
        own = shown.find_row(wish.player)
        if own is None:
            return
        place = own.row.place(shown.view.order)
        if wish.rank is not None:
            version, rank, stored = json.loads(wish.rank)
            # If the row itself is at a worse place, a result was withdrawn: nobody passed it.
            if version == shown.head.version and own.rank > rank and place <= Place.from_json(stored):
                text = json.dumps([rank, own.rank, shown.total])
                self.outbox.add(plan_news(wish, WishTopic.BEATEN, f"{now:%Y-%m-%d}", now=now, text=text))
        current = json.dumps([shown.head.version, own.rank, place.to_json()])
        if current != wish.rank:
            with suppress(Conflict):  # the wish has ended
                self.wishes.note_rank(wish, current)
