"""Random stories of rendering: boards of a few rows a page, renderers that race, die, sleep and go on late."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import md5
from typing import Any

from aggregate.benchmarks.keeper import is_outdated
from aggregate.board import join_improvements
from aggregate.paging import Sizes, rank_rows
from aggregate.renderer import BoardRenderer
from scoring_core.benchmarks.boards import RowId
from scoring_core.benchmarks.definition import Definition
from scoring_core.ranking.accumulators import FoldingRules
from scoring_core.ranking.improvement_lists import downsample
from scoring_core.ranking.standings import Standing
from storage.benchmarks.corrections import CorrectionStore
from storage.benchmarks.progress import ProgressStore
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import Head
from storage.boards.pages import decode_directory
from storage.boards.reading import BoardReader, ShownBoard
from storage.boards.rendering.lease import HeldLease, lease_key, read_lease
from storage.boards.site.markup import write_mark
from storage.boards.site.store import ServedPages
from storage.boards.snapshots import DecodedObjects, SnapshotStore
from storage.boards.standings import (
    RESTORED,
    BoardKey,
    BoardState,
    Columns,
    PlayerStanding,
    WithdrawalNotice,
)
from storage.gateway.bucket import JSON, Bucket, NewObject, ObjectInfo, StoredObject, Versioned
from storage.gateway.errors import Conflict, NotFound
from storage.gateway.table import Table
from storage.keys import board_page_key, board_prefix, head_key
from storage.submissions.decisions import ReviewStore
from tests.faults.interleaving import TABLE, Process, Schedule, WovenTables, call
from tests.harness.factories import NOON, make_guest
from tests.harness.stack import COINS

BENCHMARK = "coins"
PREFIX = board_prefix(BENCHMARK, "main")
HEAD = head_key(BENCHMARK)
SIZES = (
    Sizes(head=5, buffer=3, recent=7, page=4, bucket=3),
    Sizes(head=2, buffer=0, recent=2, page=3, bucket=1),
    Sizes(head=6, buffer=2, recent=30, page=4, bucket=5),
    Sizes(head=1, buffer=1, recent=0, page=8, bucket=50),
)
GIVEN_BACK = WithdrawalNotice(NOON, "01a1fb00-0000-7000-8000-000000000001", RESTORED)
"""It is on no board; its standing may be again what it was."""
LIFE = 400
"""Calls after which Lambda has ended every process, a zombie too."""
ORPHAN_AGE = LIFE + 1


@dataclass
class StoppingObjects:
    """Objects, as `Bucket` uses them, of one bucket in memory; each call is a stop.

    Args:
        is_quiet: Whether calls do not stop.
        on_head: Called with each head before and after it is written.
    """

    objects: dict[str, bytes] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    clock: Callable[[], int] = lambda: 0
    is_quiet: bool = False
    on_head: Callable[[bytes | None], None] = lambda _: None

    def get(self, _: str, key: str, **__: Any) -> StoredObject:
        """Read an object."""
        self.calls["get"] += 1

        def act() -> bytes:
            if key not in self.objects:
                raise NotFound(key)
            return self.objects[key]

        body = act() if self.is_quiet else call(act)
        return StoredObject(body, ObjectInfo(_etag(body), {}, "null", len(body), NOON, JSON, None))

    def put(self, _: str, key: str, new: NewObject) -> str:
        """Write an object, maybe on a condition."""
        self.calls["put"] += 1

        def act() -> None:
            before = self.objects.get(key)
            if new.replacing is not None and new.replacing != (_etag(before) if before else ""):
                raise Conflict(key)
            if key == HEAD:
                self.on_head(new.body)
            self.objects[key], self.written[key] = new.body, self.clock()

        call(act)
        return _etag(new.body)

    def delete(self, _: str, key: str, **__: Any) -> None:
        """Delete an object."""
        self.calls["delete"] += 1
        call(lambda: self.objects.pop(key, None))


def _in_turn(act: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """Act on each item, one after the other."""
    return list(map(act, items))


def _etag(body: bytes) -> str:
    return md5(body, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class _NextSnapshots(SnapshotStore):
    """The files of a board as they are once a head is written."""

    head: Head | None = None

    def read_head(self, *_: object, **__: object) -> Versioned[Head] | None:
        """Return the head."""
        return self.head and Versioned(self.head, "")


@dataclass
class World:
    """What the publishers work on: the definition, the standings, the site bucket.

    Args:
        chance: Seeded.
        has_labels: Whether each label of a player has a row.
        forgets: Whether improvements go away.
        sizes: How many rows and changes fit where.
        max_whole_rows: Rows of a board that only the schedule makes from all standings.
        parts: The parts of the benchmark.
    """

    chance: random.Random
    has_labels: bool
    forgets: bool
    sizes: Sizes
    max_whole_rows: int
    parts: tuple[str, ...] = ()
    s3: StoppingObjects = field(default_factory=StoppingObjects)
    dynamo: WovenTables = field(init=False)
    standings: dict[BoardKey, dict[str, tuple[int, PlayerStanding | None]]] = field(default_factory=dict)
    unranked: int = 0
    published: PublishedBenchmark = field(init=False)
    now: datetime = NOON
    returning: frozenset[str] = frozenset()
    """Rows that may become again what they were: as after a withdrawal, and after its end."""
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Publish the benchmark for the first time."""
        self.dynamo = WovenTables(self.chance)
        self.published = self._define(1, "0123456789abcdef")
        self.s3.on_head = self.check_head

    @property
    def key(self) -> BoardKey:
        """The board."""
        return self.published.boards[0].key

    @property
    def columns(self) -> Columns:
        """What its rows have."""
        return Columns.of(self.published.boards[0].board.rules)

    @property
    def table(self) -> Table:
        """The boards table: its leases and words."""
        return Table(self.dynamo, "boards")  # type: ignore[arg-type]

    def current(self, _: str) -> PublishedBenchmark:
        """Return the definition, as the store of benchmarks does."""
        return call(lambda: self.published)

    latest = current

    def read_board(self, board: BoardKey, rows: Collection[str] | None, *, rules: FoldingRules) -> BoardState:
        """Return standings, as their store does: not all at once."""
        assert rules.parts == self.parts
        own = self.standings.setdefault(board, {})
        standings: dict[str, PlayerStanding] = {}
        for batch in _batch(sorted(rows if rows is not None else own), 4) if rows or own else [[]]:
            read = call(lambda batch=batch: {row: own[row][1] for row in batch if row in own})  # type: ignore[misc]
            standings |= {row: standing for row, standing in read.items() if standing is not None}
        lease = None if rows is None else call(self.find_lease)
        returned = self.returning.intersection(rows or ())
        notices = tuple((make_guest(row), GIVEN_BACK) for row in sorted(returned))
        return BoardState(standings, notices, self.published.publish_number, self.unranked, lease)

    def find_lease(self) -> HeldLease | None:
        """Return who holds the lease of the board."""
        return read_lease(self.dynamo.table.get(TABLE, lease_key(str(self.key))))

    def renderer(self) -> BoardRenderer:
        """Return the renderer of a new process; some processes remember what others before them read."""
        bucket = Bucket(self.s3, "site")  # type: ignore[arg-type]
        snapshots = SnapshotStore(bucket, _in_turn, DecodedObjects(self.chance.choice((0, 2_000, 10**6))))
        return BoardRenderer(
            self,  # type: ignore[arg-type]
            self,  # type: ignore[arg-type]
            snapshots,
            clock=lambda: self.now,
            pages=ServedPages(bucket),
            corrections=CorrectionStore(bucket),
            progress=ProgressStore(self.table),
            reviews=ReviewStore(self.table),
            sizes=self.sizes,
            randomness=self.chance.randbytes,
            max_whole_rows=self.max_whole_rows,
        )

    def publish(self, name: str, batch: "Batch") -> None:
        """Fold a batch into the standings and publish them."""
        for row, (number, standing) in batch.items():
            call(lambda row=row, number=number, standing=standing: self._fold(row, number, standing))  # type: ignore[misc]
        rows = {*batch} | ({"guest"} if self.chance.random() < 0.2 else set())
        self.renderer().render(self.key, rows, name=name)

    def catch_up(self) -> None:
        """Do what the schedule does."""
        renderer = self.renderer()
        head = renderer.snapshots.read_head(BENCHMARK)
        if head is None or is_outdated(head.value, self.published.boards[0]):
            self.counts["caught up"] += 1
            renderer.render(self.key, None)
        renderer.take_up_words(self.key)
        renderer.update_index([BENCHMARK])

    def rebuild(self) -> None:
        """Publish from all standings."""
        self.renderer().render(self.key, None)

    def publish_again(self, *, is_other: bool) -> None:
        """Publish the benchmark: another version, or another ranking."""
        version = f"{self.published.publish_number:016x}" if is_other else self.published.version
        self.published = self._define(self.published.publish_number + 1, version)

    def remove_orphans(self) -> None:
        """Delete what no head names, as the schedule does."""
        listed = call(lambda: [key for key in self.s3.objects if self.s3.clock() - self.s3.written[key] > ORPHAN_AGE])
        head = call(lambda: self.s3.objects.get(HEAD))
        named = {HEAD, *(f"{PREFIX}{name}" for name in self._list_named(head))}
        for key in listed:
            if key not in named and key.startswith(PREFIX):
                self.counts["orphans"] += 1
                call(lambda key=key: self.s3.objects.pop(key, None))  # type: ignore[misc]

    def check_head(self, body: bytes | None) -> None:
        """Check a head that is about to be written: all that it names exists, and its rows are right."""
        assert body is not None
        head = Head.model_validate_json(body)
        missing = [name for name in self._list_named(body) if f"{PREFIX}{name}" not in self.s3.objects]
        assert not missing, missing
        shown = BoardReader(_NextSnapshots(Bucket(replace(self.s3, is_quiet=True), "site"), head=head)).find(BENCHMARK)  # type: ignore[arg-type]
        assert shown is not None
        rows = [*shown.view.all_rows()]
        assert len(rows) == head.total
        first = [(each.row.name, each.rank, each.tied) for each in rows[: len(head.rows.name)]]
        assert [*zip(head.rows.name, head.rows.rank, head.rows.tied, strict=True)] == first
        self.counts["heads"] += 1
        self.counts["heads with pages"] += head.pages is not None
        self.counts["flushes"] += bool(head.pages and f"directory.{head.sequence}-" in head.pages.directory)

    def shown(self) -> ShownBoard | None:
        """Return what a reader sees, which reads without a stop."""
        quiet = replace(self.s3, is_quiet=True)
        return BoardReader(SnapshotStore(Bucket(quiet, "site"))).find(BENCHMARK)  # type: ignore[arg-type]

    def check(self, what: str) -> None:
        """Check that a reader sees the standings."""
        board = self.shown()
        assert board is not None, what
        partition = lease_key(str(self.key))["board"]
        items = self.dynamo.table.list_items(TABLE)
        assert [item for item in items if item["board"]["S"] == partition and not read_lease(item)] == [], what
        head, columns = board.head, self.columns
        standings = {row: each for row, (_, each) in self.standings.get(self.key, {}).items() if each is not None}
        rows = sorted(map(columns.read_row, standings.values()), key=lambda row: row.place(columns.order))
        expected = rank_rows(rows, columns.order)
        assert list(board.view.all_rows()) == expected, what
        assert head.version == self.published.version, what
        assert head.publish_number == self.published.publish_number, what
        assert head.total == len(rows), what
        assert head.counts.players == len({row.player for row in rows}), what
        assert head.counts.submissions == sum(row.submissions for row in rows), what
        shown = [ranked.row.name for ranked in expected[: len(head.rows.name)]]
        assert [*head.rows.name] == shown, what
        ranks = [(ranked.rank, ranked.tied) for ranked in expected[: len(shown)]]
        assert [*zip(head.rows.rank, head.rows.tied, strict=True)] == ranks, what
        assert len(shown) >= min(len(rows), 1), what
        assert (head.pages is None) == (len(shown) == len(rows)), what
        direction = self.published.boards[0].board.rules.primary_direction
        improvements = join_improvements(standings, direction)
        assert head.improvements.steps == downsample(improvements, len(head.improvements.steps)), what
        assert head.improvements.total == len(improvements), what
        for ranked in expected:
            row = ranked.row
            assert board.find_row(row.player, row.label) == ranked, what

    def check_page(self, what: str) -> None:
        """Check that the served page shows the latest head, and so no row that left the board."""
        page, head = self.s3.objects[board_page_key(BENCHMARK)], self.s3.objects[HEAD]
        assert write_mark(_etag(head)).encode() in page, what
        self.counts["pages deleted"] += self.s3.calls["delete"]

    def _fold(self, row: str, number: int, standing: PlayerStanding | None) -> None:
        for revision in {self.key, *self.standings}:
            own = self.standings.setdefault(revision, {})
            if row not in own or own[row][0] < number:
                own[row] = number, standing

    def _list_named(self, head: bytes | None) -> Iterator[str]:
        if head is None:
            return
        read = Head.model_validate_json(head)
        pages = read.pages
        if pages is None:
            return
        yield from filter(None, (pages.directory, pages.recent, pages.improvements))
        directory = decode_directory(self.s3.objects[f"{PREFIX}{pages.directory}"])
        yield from (line.name for line in directory.pages)
        yield from directory.places

    def _define(self, publish_number: int, version: str) -> PublishedBenchmark:
        by = self.chance.choice((["Coins"], ["Time"], ["Coins", "Time"]))
        unfinished = self.chance.choice(("below", "as_scored")) if self.parts else "as_scored"
        rows = "label" if self.has_labels else "player"
        ranking = {"keep": "best", "combine": "sum", "by": by, "rows": rows, "unfinished": unfinished}
        return PublishedBenchmark(
            version=version,
            bundle_sha256="",
            published_at=NOON,
            definition=Definition.model_validate({**COINS, "ranking": ranking}),
            parts=self.parts,
            description="",
            sample=None,
            publish_number=publish_number,
        )


type Batch = dict[str, tuple[int, PlayerStanding | None]]
"""Row id → the number of the standing, and the standing."""


def draw_batches(world: World) -> list[Batch]:
    """Draw what is delivered: each standing is newer than those of its row before."""
    chance = world.chance
    players = chance.choice((2, 8, 20, 40))
    leaving, values = chance.choice((0.02, 0.3)), chance.choice((2, 5, 1000))
    improvements: dict[str, list[tuple[str, float]]] = {}
    batches: list[Batch] = []
    number = 0
    for _ in range(chance.choice((10, 40, 90))):
        batch: Batch = {}
        for _ in range(chance.choice((1, 1, 3, 9))):
            number += 1
            player = make_guest(f"P{chance.randrange(players)}")
            label = f"l {chance.randrange(3)}" if world.has_labels else None
            row = str(RowId(player.id, label))
            submission = f"01a1fb00-0000-7000-8000-{chance.choice((number, 7)):012x}"
            drawn = {"Coins": chance.randrange(values), "Time": float(chance.randrange(3))}
            scores = {name: value for name, value in drawn.items() if chance.random() > 0.1}
            own = improvements.setdefault(row, [])
            if world.forgets:
                own.clear()
            if not own or own[-1][0] < submission:
                own.append((submission, chance.randrange(values)))
            done = world.parts[: chance.randint(1, len(world.parts))] if world.parts else ()
            by_part = {part: {"Coins": chance.randrange(values)} for part in done}
            standing = Standing(scores, submission, chance.randint(1, 3), len(done) if done else None, by_part)
            is_gone = chance.random() < leaving
            if is_gone:
                own.clear()
            batch[row] = number, None if is_gone else PlayerStanding(player, standing, tuple(own), label)
        batches.append(batch)
    return batches


def tell_story(seed: int) -> Counter[str]:
    """Run the story of a seed to its end, and compare what a reader sees with the standings."""
    chance = random.Random(seed)  # noqa: S311  # nothing here is a secret
    parts = chance.choice(((), ("a", "b", "c")))
    small = chance.choice((0, 4, 20_000))
    world = World(chance, chance.random() < 0.3, chance.random() < 0.2, chance.choice(SIZES), small, parts)
    deadly, drowsy = chance.choice((0, 0.03, 0.1)), chance.choice((0, 0.05, 0.2))
    schedule = Schedule(chance, deadly=deadly, drowsy=drowsy, is_haunted=chance.random() < 0.5)
    world.s3.clock = lambda: schedule.clock
    waiting = dict(enumerate(draw_batches(world)))
    times = Counter(row for batch in waiting.values() for row in batch)
    world.returning = frozenset(row for row, count in times.items() if count > 1)
    batches, born = dict(waiting), dict[int, tuple[Process, int]]()
    at_once = chance.choice((1, 2, 4))
    calm, has_schedule_failed = chance.random() < 0.5, False
    while waiting or schedule.processes:
        waiting |= {name: batches[name] for name in _end_old(schedule, born)}
        while waiting and sum(not process.is_zombie for process in schedule.processes) < at_once:
            name = next(iter(waiting))
            batch = waiting.pop(name)
            schedule.processes.append(
                Process(str(name), lambda name=name, batch=batch: world.publish(str(name), batch))
            )  # type: ignore[misc]
        _draw_event(world, schedule, calm=calm)
        schedule.processes = [process for process in schedule.processes if not process.is_over]
        if not schedule.processes:
            continue
        died = schedule.step()
        if died and died.isdigit():
            waiting[int(died)] = batches[int(died)]
        has_schedule_failed = has_schedule_failed or died == "schedule"
    # A batch comes back and takes up its own lease; for a zombie, and what a schedule began, the next schedule does.
    if calm and not schedule.counts["zombies dead"] and not has_schedule_failed:
        world.counts["without the schedule"] += 1
        world.check(f"seed {seed}, without the schedule")
    world.now += timedelta(minutes=10)
    run(world.catch_up)
    world.check(f"seed {seed}")
    world.check_page(f"seed {seed}")
    return Counter({"stories": 1}) + schedule.counts + world.counts


def _end_old(schedule: Schedule, born: dict[int, tuple[Process, int]]) -> Iterator[int]:
    """End processes that have lived too long, and yield whose work must be done again."""
    for process in [*schedule.processes]:
        if schedule.clock - born.setdefault(id(process), (process, schedule.clock))[1] > LIFE:
            schedule.processes.remove(process)
            if not process.is_zombie and process.name.isdigit():
                yield int(process.name)
            else:
                schedule.counts["zombies dead"] += 1


def _draw_event(world: World, schedule: Schedule, *, calm: bool) -> None:
    """Let something happen from time to time."""
    draw = world.chance.random()
    if draw < 0.004:
        world.now += world.chance.choice((timedelta(seconds=20), *(timedelta(hours=hours) for hours in (1, 13, 30))))
    elif draw < 0.006 and not calm:
        world.publish_again(is_other=world.chance.random() < 0.5)
    elif draw < 0.012:
        act = world.chance.choice((world.remove_orphans, world.catch_up, *(() if calm else (world.rebuild,))))
        schedule.processes.append(Process("schedule", act))


def run(act: Callable[[], None]) -> None:
    """Run a process alone and without a fault."""
    schedule = Schedule(random.Random(0), deadly=0, drowsy=0, processes=[Process("alone", act)])  # noqa: S311
    while schedule.processes:
        schedule.processes = [process for process in schedule.processes if not process.is_over]
        if schedule.processes:
            schedule.step()


def _batch(names: list[str], length: int) -> Iterator[list[str]]:
    for start in range(0, len(names), length):
        yield names[start : start + length]
