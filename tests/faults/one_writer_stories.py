"""Random stories of one writer a board: shards split, players are banned, labels have rows, lists get long."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tests.faults.one_writer import BoardTable, BoardWriter, Shard, WriterRule

OVER = object()
BATCH = 8
"""Records that Lambda hands over at once, at most."""


@dataclass(eq=False)
class Actor:
    """A process; `shard` is the one whose records it was invoked with, if it was."""

    steps: Iterator[None]
    shard: Shard | None = None

    def give_up(self) -> None:
        """Have Lambda invoke another process with these records; this one may go on."""
        if self.shard and self.shard.worker is self:
            self.shard.worker = None


class WriterStory:
    """A board whose standings are written while publishers show them.

    Args:
        seed: Decides everything.
        broken: The rule that is left out.
    """

    def __init__(self, seed: int, broken: WriterRule) -> None:
        self.chance = random.Random(seed)  # noqa: S311  # nothing here is a secret
        self.seed, self.broken = seed, broken
        self.table = BoardTable(self.chance)
        self.writer = BoardWriter(self.table, broken)
        self.players = [f"P{number}" for number in range(self.chance.choice((2, 6, 30)))]
        self.labels = self.chance.choice(("x", "x", "xyz"))
        self.slow = self.chance.choice(("", "", "a", "b"))
        self.actors: list[Actor] = []
        self.counts = self.writer.counts

    def tell(self) -> Counter[str]:
        """Go through troubles, then deliver what is left, and look at the board."""
        splits = self.chance.choice((0, 0.01, 0.05))
        bans = self.chance.choice((0, 0.02))
        if self.chance.random() < 0.2:  # before the board has a row
            self.table.split()
        for _ in range(self.chance.choice((40, 150, 400))):
            self.table.clock += 1
            self._write(bans)
            if self.chance.random() < splits:
                self.table.split()
                self.counts["splits"] += 1
            self._start()
            if self.actors:
                self._go_on(self.chance.choice(self.actors))
        self._end()
        self._check()
        self.counts["records"] = sum(len(shard.records) for shard in self.table.shards)
        return self.counts

    def _write(self, bans: float) -> None:
        if self.chance.random() < 0.6:
            row = f"{self.chance.choice(self.players)}/{self.chance.choice(self.labels)}"
            self._fold(row, None if self.chance.random() < 0.1 else self.chance.randrange(50))
        if self.chance.random() < bans:
            self.actors.append(Actor(self._mark(self.chance.choice(self.players))))

    def _fold(self, row: str, key: int | None) -> None:
        self.table.fold(row, key, without_bans=self.broken is WriterRule.BANS)
        self.counts["folds"] += 1

    def _mark(self, player: str) -> Iterator[None]:
        """Ban a player or lift the ban, then fold the rows again one after another."""
        self.counts["bans"] += 1
        self.table.banned.symmetric_difference_update({player})
        yield
        for row in [row for row in self.table.keys if row.startswith(f"{player}/")]:
            self._fold(row, self.table.keys[row])
            yield

    def _start(self) -> None:
        readable = [shard for shard in self.table.shards if shard.is_readable and not self._is_behind(shard)]
        if readable and self.chance.random() < 0.6:
            self.actors.append(self._invoke(self.chance.choice(readable)))
        if self.chance.random() < 0.02:
            self.actors.append(Actor(self.writer.build()))

    def _is_behind(self, shard: Shard) -> bool:
        """Return whether a shard is not read just now; some shards hardly ever are."""
        return shard.name[-1:] == self.slow and self.chance.random() < 0.97

    def _invoke(self, shard: Shard) -> Actor:
        """Invoke a publisher with the next records; its answer may be lost, and it may be given up and go on."""
        records = shard.records[shard.answered :][: self.chance.randint(1, BATCH)]
        until = shard.answered + len(records)

        def deliver() -> Iterator[None]:
            for _ in self.writer.publish(shard, records):
                if self.chance.random() < 0.03:
                    self.counts["given up"] += shard.worker is actor
                    actor.give_up()
                yield
            if shard.worker is actor and self.chance.random() < 0.9:
                shard.answered = until
            actor.give_up()

        actor = Actor(deliver(), shard)
        shard.worker = actor
        return actor

    def _go_on(self, actor: Actor) -> None:
        if self.chance.random() < 0.04:
            self.actors.remove(actor)
            self.counts["deaths"] += 1
            actor.give_up()
        elif next(actor.steps, OVER) is OVER:
            self.actors.remove(actor)

    def _end(self) -> None:
        """Finish what goes on, fold what bans touch, and deliver all records."""
        for actor in self.actors:
            for _ in actor.steps:
                pass
        for row in sorted(self.table.keys):
            self._fold(row, self.table.keys[row])
        while unread := [shard for shard in self.table.shards if shard.is_readable]:
            for shard in unread:
                for _ in self._invoke(shard).steps:
                    pass

    def _check(self) -> None:
        banned, keys = self.table.banned, self.table.keys
        wanted = {
            row: (key, row) for row, key in keys.items() if key is not None and row.partition("/")[0] not in banned
        }
        head = self.writer.head
        assert head.shown == wanted, f"seed {self.seed}: other rows"
        assert len(head.pages) == len(set(head.pages.values())), f"seed {self.seed}: a row is in the pages twice"
        assert head.players == len({row.partition("/")[0] for row in wanted}), f"seed {self.seed}: other players"


def tell_writer_story(seed: int, broken: WriterRule = WriterRule.NOTHING) -> Counter[str]:
    """Tell the story of a seed, and return what happened how often. Raises AssertionError at a fault."""
    return WriterStory(seed, broken).tell()
