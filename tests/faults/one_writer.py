"""A model of publishing boards from the stream of their own standings: the old image says where the pages have a row.

A standing and the number of its player's rows are written together; each write of an item is a record of the stream, in
the shard that has the item just then. Shards split, and a board's items may be in several. Lambda reads a shard in
order and its children after it, and delivers a batch again until it is answered; what it has given up may go on. Many
publishers race for one head, which is replaced by compare-and-swap. No rule of the product is in here yet.
"""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import NamedTuple
from zlib import crc32

SKEW = 3
"""How far clocks of writers are behind, at most."""
LATE_IN_HEAD = 5
"""Late items that a head itself lists; more are in an object that it names."""
BEGINNING = -(1 << 30)
"""Before every write."""
BUFFER = 6
"""Changes that a head holds; more are worked into the pages."""


class WriterRule(Enum):
    """A rule of the model; a story without it must notice."""

    NOTHING = auto()
    """No rule is broken."""
    REPEATS = auto()
    """What a head shows already is skipped."""
    POSITIONS = auto()
    """Each shard has a position of its own: numbers of two shards say nothing about each other."""
    PARENTS = auto()
    """The position of a shard that was split is kept: a publisher that was given up may bring its records again."""
    LINEAGE = auto()
    """A shard of which nothing is shown may have records from the beginning of its parents on."""
    LATE = auto()
    """Where all standings were read, the head lists those that may be newer than its positions."""
    WHOLE_LIST = auto()
    """That list is whole, however many there are."""
    BANS = auto()
    """A ban is written into the standings, so that it has a record; publishers look at none themselves."""
    COUNTS = auto()
    """The number of a player's rows is an item beside them; nobody counts what is stored at the moment."""


class Image(NamedTuple):
    """An item before or after a write: a row's key or a player's number of rows. None: the row is not on the board."""

    version: int
    value: int | None
    at: int


class Record(NamedTuple):
    """A write of an item, as its shard has it."""

    number: int
    item: str
    old: Image | None
    new: Image


type Spot = tuple[int, str]
"""Where the pages have a row."""


@dataclass
class Shard:
    """A shard of the stream, which has the items whose hashes are from `low` to `high`."""

    name: str
    parent: "Shard | None"
    low: int
    high: int
    records: list[Record] = field(default_factory=list)
    answered: int = 0
    is_open: bool = True
    worker: object | None = None

    @property
    def parents(self) -> "Iterator[Shard]":
        """Yield its parent, and the parents of that."""
        if self.parent is not None:
            yield self.parent
            yield from self.parent.parents

    @property
    def is_done(self) -> bool:
        """Return whether all of its records and of its parents' are answered, and no more will come."""
        return self.is_reached and not self.is_open and self.answered == len(self.records)

    @property
    def is_reached(self) -> bool:
        """Return whether its records may be read: after those of its parent."""
        return self.parent is None or self.parent.is_done

    @property
    def is_readable(self) -> bool:
        """Return whether Lambda would invoke a function with its next records."""
        return self.is_reached and self.worker is None and self.answered < len(self.records)


@dataclass(frozen=True)
class ModelHead:
    """What a head says.

    Args:
        etag: Rises with each head.
        positions: Shard → number and time of the last record that is shown.
        pages: Place → row.
        changes: Row → its place now and the one in the pages, None if it is in none.
        late: Item → the version that the pages have of it.
        late_object: The name of the object with that list, if it is too long for the head.
        players: How many players have a row.
    """

    etag: int = 0
    positions: dict[str, tuple[int, int]] = field(default_factory=dict)
    pages: dict[Spot, str] = field(default_factory=dict)
    changes: dict[str, tuple[Spot | None, Spot | None]] = field(default_factory=dict)
    late: dict[str, int] = field(default_factory=dict)
    late_object: int | None = None
    players: int = 0

    @property
    def shown(self) -> dict[str, Spot]:
        """The place of each row."""
        shown = {row: spot for spot, row in self.pages.items()}
        for row, (spot, _) in self.changes.items():
            shown.pop(row, None)
            if spot is not None:
                shown[row] = spot
        return shown


class BoardTable:
    """Standings and numbers of rows of one board, and the stream of their writes."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.clock = 0
        self.items: dict[str, Image] = {}
        self.keys: dict[str, int | None] = {}
        self.banned: set[str] = set()
        self.shards = [Shard("0", None, 0, 1 << 32)]
        self.numbers = Counter[str]()

    def fold(self, row: str, key: int | None, *, without_bans: bool = False) -> None:
        """Write a standing, under the bans of now, and with it the number of its player's rows."""
        self.keys[row] = key
        player = row.partition("/")[0]
        value = key if without_bans or player not in self.banned else None
        before = self.items.get(row)
        was_on = before is not None and before.value is not None
        self._write(row, value)
        if was_on != (value is not None):
            count = self.items.get(f"#{player}")
            self._write(f"#{player}", ((count and count.value) or 0) + (-1 if was_on else 1))

    def split(self) -> None:
        """Split a shard that is open: its items go on in two others."""
        shard = self.chance.choice([shard for shard in self.shards if shard.is_open])
        middle = self.chance.randint(shard.low, shard.high)
        shard.is_open = False
        bounds = (("a", shard.low, middle), ("b", middle, shard.high))
        self.shards += [Shard(shard.name + name, shard, low, high) for name, low, high in bounds]

    def _write(self, item: str, value: int | None) -> None:
        old, at = self.items.get(item), self.clock - self.chance.randint(0, SKEW)
        new = self.items[item] = Image(1 + (old.version if old else 0), value, at)
        place = crc32(item.encode())
        shard = next(shard for shard in self.shards if shard.is_open and shard.low <= place < shard.high)
        if shard.name not in self.numbers:
            self.numbers[shard.name] = self.chance.randint(0, 1_000)
        self.numbers[shard.name] += self.chance.randint(1, 3)
        shard.records.append(Record(self.numbers[shard.name], item, old, new))


class BoardWriter:
    """Makes heads of a board, from records or from all items; each `yield` is a moment at which others go on."""

    def __init__(self, table: BoardTable, broken: WriterRule) -> None:
        self.table = table
        self.broken = broken
        self.head = ModelHead()
        self.objects: list[dict[str, int]] = []
        self.counts = Counter[str]()

    def publish(self, shard: Shard, records: list[Record]) -> Iterator[None]:
        """Show records of a shard, from the first one that is not shown yet; start over after a lost race."""
        while True:
            before = self.head
            yield
            after = self._show(before, shard, records)
            yield
            if after is None or self._replace(before, after):
                return

    def build(self) -> Iterator[None]:
        """Show all items, which are read one after another while others are written."""
        before, items = self.head, self.table.items
        self.counts["builds"] += 1
        since = self._find_since(before.positions)
        pages: dict[Spot, str] = {}
        late: dict[str, int] = {}
        players = 0
        for item in sorted(items):
            image = items[item]
            if image.at >= since:
                late[item] = image.version
            if item.startswith("#"):
                players += bool(image.value)
            elif (spot := self._place(item, image)) is not None:
                pages[spot] = item
            if self.table.chance.random() < 0.3:
                yield
        self.counts["late"] += len(late)
        self.counts["long lists"] += len(late) > LATE_IN_HEAD
        head = replace(before, pages=pages, changes={}, players=players)
        self._replace(before, self._list_late(head, {} if self.broken is WriterRule.LATE else late))

    def _find_since(self, positions: dict[str, tuple[int, int]]) -> int:
        """Return since when items may have records that are not shown.

        Such a record was written after what is shown of its shard, or, without a position, of the last parent that has
        one. A shard is read to its end before its children are, so one whose children both have a position is done.
        """
        open_ends = [at for name, (_, at) in positions.items() if not {f"{name}a", f"{name}b"} <= positions.keys()]
        return min(open_ends, default=BEGINNING) - 2 * SKEW

    def _show(self, before: ModelHead, shard: Shard, records: list[Record]) -> ModelHead | None:
        """Return the head that shows records too; None if all are shown."""
        late = dict(before.late if before.late_object is None else self.objects[before.late_object])
        positions, changes, players = dict(before.positions), dict(before.changes), before.players
        name = "" if self.broken is WriterRule.POSITIONS else shard.name
        fresh = 0
        for record in records:
            if record.number <= positions.get(name, (-1, 0))[0] and self.broken is not WriterRule.REPEATS:
                continue
            fresh += 1
            positions[name] = record.number, record.new.at
            for parent in shard.parents if self.broken is not WriterRule.LINEAGE else ():
                positions.setdefault(parent.name, (-1, BEGINNING))
            if self.broken is WriterRule.PARENTS and shard.parent:
                positions.pop(shard.parent.name, None)
            listed = late.get(record.item, 0)
            if listed <= record.new.version:
                late.pop(record.item, None)  # what comes later begins with what the pages have
            if record.new.version <= listed:
                self.counts["skipped"] += 1
            elif record.item.startswith("#"):
                if self.broken is not WriterRule.COUNTS:
                    players += bool(record.new.value) - bool(record.old and record.old.value)
            else:
                players += self._change(before, changes, record)
        if not fresh:
            return None
        head = replace(before, positions=positions, changes=changes, players=players)
        return self._list_late(self._flush(head) if len(changes) > BUFFER else head, late)

    def _change(self, before: ModelHead, changes: dict[str, tuple[Spot | None, Spot | None]], record: Record) -> int:
        """Note where a row is now; return how many players came, if that is not an item's business."""
        row, spot = record.item, self._place(record.item, record.new)
        was = changes[row][0] if row in changes else self._place(row, record.old)
        base = changes[row][1] if row in changes else was
        assert row in changes or base is None or before.pages.get(base) == row, f"{row} is not in the pages at {base}"
        changes[row] = spot, base
        if self.broken is not WriterRule.COUNTS or (was is None) == (spot is None):
            return 0
        player = row.partition("/")[0]
        others = [each for each in self.table.items if each.startswith(f"{player}/") and each != row]
        return 0 if any(self.table.items[each].value is not None for each in others) else (1 if was is None else -1)

    def _flush(self, head: ModelHead) -> ModelHead:
        """Work all changes into the pages."""
        self.counts["flushes"] += 1
        pages = dict(head.pages)
        for _, base in head.changes.values():
            if base is not None:
                del pages[base]
        for row, (spot, _) in head.changes.items():
            if spot is not None:
                pages[spot] = row
        return replace(head, pages=pages, changes={})

    def _list_late(self, head: ModelHead, late: dict[str, int]) -> ModelHead:
        """Return a head with this list, in an object if it is too long."""
        if len(late) <= LATE_IN_HEAD or self.broken is WriterRule.WHOLE_LIST:
            return replace(head, late=dict(list(late.items())[:LATE_IN_HEAD]), late_object=None)
        self.objects.append(late)
        return replace(head, late={}, late_object=len(self.objects) - 1)

    def _place(self, row: str, image: Image | None) -> Spot | None:
        if image is None or image.value is None:
            return None
        is_hidden = self.broken is WriterRule.BANS and row.partition("/")[0] in self.table.banned
        return None if is_hidden else (image.value, row)

    def _replace(self, before: ModelHead, after: ModelHead) -> bool:
        """Replace the head that was read; return False if another one is there."""
        if self.head is not before:
            self.counts["races"] += 1
            return False
        self.head = replace(after, etag=before.etag + 1)
        return True
