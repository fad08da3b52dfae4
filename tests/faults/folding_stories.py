"""Random stories of folding: records in batches, repeated, late and withdrawn, and workers that die."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

from scoring_core.benchmarks.definition import Combine, Keep, Ranking, Unfinished
from scoring_core.metrics.score_type import Direction, ScoreType
from scoring_core.ranking.accumulators import FoldingRules, PartScores, ScoredSubmission
from storage.boards.entries import BoardEntry, BoardEntryStore, keep_newest
from storage.boards.folded_standings import FoldedStanding, read_folded_standing
from storage.boards.folding import RowKey, StandingFolder
from storage.boards.published import VersionBoards
from storage.boards.standings import RESTORED, BoardKey, BoardState, StandingStore, WithdrawalNotice, join_notices
from storage.gateway.errors import Conflict
from storage.gateway.schema import Schema
from storage.gateway.table import Table
from tests.faults.interleaving import Fate, Process, Schedule, WovenTables, call, run_woven
from tests.harness.factories import NOON, make_guest
from tests.harness.histories import define_standing, find_improvements
from tests.harness.plain_boards import PlainBoard, make_version

BOARD = BoardKey("coin-run", "0123456789abcdef")
SORT = "batch-"
LOOKS = 0.1
"""Of the transactions, how many are followed by a look at all standings."""


@dataclass
class Story:
    """What happens: every record, in its newest revision, and the batches in which they are delivered.

    Args:
        publishings: What each publishing says; the first one applies first.
        entries: Submission → its newest entry.
        batches: The deliveries.
        current: The place of the publishing that applies now.
    """

    publishings: Sequence[VersionBoards]
    entries: dict[str, BoardEntry]
    batches: list[list[BoardEntry]]
    current: int = 0

    @property
    def now(self) -> VersionBoards:
        """The publishing that applies now."""
        return self.publishings[self.current]


@dataclass
class Worker:
    """What the functions do, over one table.

    Args:
        story: The story.
        client: The table's client.
        begun: The publish number up to which a keeper has folded all rows of boards that began.
    """

    story: Story
    client: WovenTables
    begun: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def table(self) -> Table:
        """The boards table."""
        return Table(self.client, "boards")  # type: ignore[arg-type]

    @property
    def folder(self) -> StandingFolder:
        """What is tested."""
        return StandingFolder(BoardEntryStore(self.table), partial(run_woven, self.client.randomness))

    def fold(self, batch: Sequence[BoardEntry]) -> None:
        """Fold a batch, again if something was published meanwhile."""
        while True:
            version = self.story.now
            call(lambda: None)  # the definition may change meanwhile
            try:
                folded = self.folder.fold(version, batch)
            except Conflict:
                self.counts["published meanwhile"] += 1
                continue
            for error in folded.failed.values():
                raise error
            if not folded.is_new or call(lambda: self.story.now) == version:
                return
            self.counts["new players looked again"] += 1

    def refold_all(self, *, anyway: bool) -> None:
        """Begin boards, and fold all standings, as a publishing or a rebuild does."""
        version = self.story.now
        try:
            if self.begun < version.newest_since:
                players = [*StandingStore(self.table).list_players(version.key)]
                self.folder.begin(version, [player for player, begun in players if begun < version.newest_since])
                self.begun = max(self.begun, version.newest_since)
            for board in version.boards:
                self.folder.refold_all(version.key, board, anyway=anyway)
        except Conflict:
            self.counts["published meanwhile"] += 1


def draw_story(chance: random.Random) -> Story:
    """Draw a story."""
    score_type = draw_score_type(chance)
    parts = tuple(f"p{number}" for number in range(chance.choice((0, 0, 1, 3, 12))))
    # Improvements need all entries where submissions come late, which would hide what was counted twice.
    wanted = chance.random() < 0.5
    publishings = _draw_publishings(
        chance, lambda: FoldingRules(draw_ranking(chance, score_type.names), score_type, parts, wanted)
    )
    players = [make_guest(f"P{number}") for number in range(chance.choice((1, 1, 3, 6)))]
    labels = chance.choice(("x", "xyz"))
    entries: dict[str, BoardEntry] = {}
    delivered: list[BoardEntry] = []
    for number in range(chance.choice((5, 12, 30, 60))):
        player = chance.choice(players)
        named = make_guest(f"{player.name} {number // 10}", player_id=player.id)
        scores, label = draw_scores(chance, score_type.names, parts), chance.choice(labels)
        entry = BoardEntry(named, f"s{number:03}", 1, scores, label=label)
        if chance.random() < 0.1:
            delivered.append(entry._replace(scores={}))
            entry = entry._replace(record_revision=2)
        delivered.append(entry)
        if chance.random() < 0.12:
            notice = WithdrawalNotice(NOON + timedelta(minutes=number), entry.submission, "played twice")
            entry = entry._replace(record_revision=entry.record_revision + 1, withdrawn=True, notice=notice)
            delivered.append(entry)
            for restored in (True, False)[: chance.choice((0, 0, 1, 2))]:
                later = notice._replace(reason=RESTORED if restored else "played thrice")
                revision = entry.record_revision + 1
                entry = entry._replace(record_revision=revision, withdrawn=not restored, notice=later)
                delivered.append(entry)
        entries[entry.submission] = entry
    return Story(publishings, entries, _draw_batches(chance, delivered))


def _draw_publishings(chance: random.Random, draw_rules: Callable[[], FoldingRules]) -> list[VersionBoards]:
    """Draw what each publishing says: rankings and rows change, a board begins and ends, windows open."""

    def begin(name: str, number: int, **given: Any) -> PlainBoard:
        return PlainBoard(BOARD._replace(board=name, since=number), draw_rules(), number, **given)

    main = begin("main", 1, has_labels=True) if chance.random() < 0.2 else PlainBoard(BOARD, draw_rules())
    others = [begin("labels", 1, has_labels=True)] if chance.random() < 0.4 else []
    begins, opens, ends = (chance.choice((2, 3, 9)) for _ in range(3))
    publishings = []
    for number in range(1, chance.choice((1, 1, 3, 4)) + 1):
        if number > 1 and chance.random() < 0.5:
            main = main._replace(rules=draw_rules(), publish_number=number)
        elif number > 1 and chance.random() < 0.3:
            main = begin("main", number, has_labels=not main.has_labels)
        if number == begins:
            others.append(begin("passing", number, has_labels=chance.random() < 0.3))
        if number == opens:
            bounds = [(f"s{first:03}", f"s{first + 9:03}") for first in range(0, 60, 10)]
            board = begin("window", number)
            others += [
                board._replace(key=board.key._replace(board=f"window-{span[0]}"), bounds=span) for span in bounds
            ]
        if number == ends:
            others = others[1:]
        publishings.append(make_version(main, *others, publish_number=number))
    return publishings


def draw_score_type(chance: random.Random) -> ScoreType:
    """Draw one to three metrics."""
    names = ("a", "b", "c")[: chance.randint(1, 3)]
    headers = [{"name": name, "type": "float", "direction": chance.choice(list(Direction))} for name in names]
    return ScoreType.model_validate({"headers": headers})


def draw_scores(chance: random.Random, names: Sequence[str], parts: Sequence[str]) -> PartScores:
    """Draw the scores of a submission: of one or two parts, hardly ever without a metric."""
    return {
        part: {
            name: chance.choice((chance.randint(0, 3) / 2, chance.uniform(0, 3), 0.1))
            for name in names
            if chance.random() > 0.05
        }
        for part in chance.sample(parts or ("",), chance.randint(1, min(2, len(parts) or 1)))
    }


def draw_ranking(chance: random.Random, names: Sequence[str]) -> Ranking:
    """Draw a ranking over metrics."""
    by = tuple(chance.sample(names, chance.randint(1, len(names))))
    return Ranking(
        keep=chance.choice(list(Keep)),
        combine=chance.choice(list(Combine)),
        by=by,
        unfinished=chance.choice(list(Unfinished)),
    )


def _draw_batches(chance: random.Random, delivered: Sequence[BoardEntry]) -> list[list[BoardEntry]]:
    """Draw batches, with repeats, in any order."""
    haste = chance.choice((0, 6, 1000))  # in order, a little mixed, in any order
    places = sorted(range(len(delivered)), key=lambda place: place + chance.uniform(0, haste))
    mixed = [delivered[place] for place in places]
    repeated, spread = chance.choice((0.1, 0.4)), chance.choice((4, 1000))
    for place in reversed(range(len(mixed))):
        if chance.random() < repeated:
            mixed.insert(place + chance.randint(1, spread), mixed[place])
    batches = []
    while mixed:
        length = chance.choice((1, 1, 2, 6))
        batches.append(mixed[:length])
        mixed = mixed[length:]
    return batches


def tell_story(seed: int) -> Counter[str]:
    """Run the story of a seed to its end, and compare what is stored with the folds of all records."""
    chance = random.Random(seed)  # noqa: S311  # nothing here is a secret
    story = draw_story(chance)
    worker = Worker(story, WovenTables(chance))
    watch(worker, f"seed {seed}")
    faults = _weave(chance, worker)
    finish(worker)
    check(worker, f"seed {seed}")
    return Counter({"stories": 1, "records": len(story.entries)}) + faults + worker.counts


def _weave(chance: random.Random, worker: Worker) -> Counter[str]:
    """Let processes fold the batches, some at once, again where one died; return which faults there were."""
    story = worker.story
    schedule = Schedule(chance, deadly=chance.choice((0, 0.03, 0.1)), drowsy=chance.choice((0, 0.05, 0.2)))
    at_once = chance.choice((1, 2, 4))
    waiting = {f"{SORT}{number}": batch for number, batch in enumerate(story.batches)}
    named = dict(waiting)
    total = len(waiting)
    while waiting or schedule.processes:
        story.current = min(len(story.publishings) - 1, int((1 - len(waiting) / total) * len(story.publishings)))
        while waiting and sum(not process.is_zombie for process in schedule.processes) < at_once:
            name = next(iter(waiting))
            schedule.processes.append(_start(worker, name, waiting.pop(name)))
        if chance.random() < 0.01 and len(schedule.processes) <= at_once:
            anyway = chance.random() < 0.5
            worker.counts["refolds"] += 1
            schedule.processes.append(Process("refold", partial(worker.refold_all, anyway=anyway)))
        schedule.processes = [process for process in schedule.processes if not process.is_over]
        if not schedule.processes:
            continue
        died = schedule.step()
        if died and died.startswith(SORT):
            names = [*waiting]
            names.insert(chance.randint(0, 5), died)  # others may come before it does again
            waiting = {name: named[name] for name in names}
    return schedule.counts


def _start(worker: Worker, name: str, batch: Sequence[BoardEntry]) -> Process:
    worker.counts["batches"] += 1
    return Process(name, lambda: worker.fold(batch))


def finish(worker: Worker) -> None:
    """Fold all by the last publishing, as the schedule does."""
    worker.story.current = len(worker.story.publishings) - 1
    run(lambda: worker.refold_all(anyway=False))


def run(act: Any) -> None:
    """Run a process alone and without a fault."""
    process = Process("alone", act)
    while not process.is_over:
        process.step(Fate.DONE)


def die_at_each_call(seed: int) -> int:
    """Run the story of a seed with one death, before or after each of its calls in turn; return how often."""
    number, runs = 0, 0
    while True:
        for fate in (Fate.DEATH_BEFORE, Fate.DEATH_AFTER):
            chance = random.Random(seed)  # noqa: S311
            story = draw_story(chance)
            worker = Worker(story, WovenTables(random.Random(seed)))  # noqa: S311
            calls = 0
            for place, batch in enumerate(story.batches):
                story.current = place * len(story.publishings) // len(story.batches)
                is_over = False
                while not is_over:
                    process = _start(worker, "batch", batch)
                    died = False
                    while not process.is_over:
                        died = calls == number
                        process.step(fate if died else Fate.DONE)
                        calls += 1
                    is_over = not died
            finish(worker)
            check(worker, f"seed {seed}, {fate.name} at call {number}")
            runs += 1
        if number >= calls:
            return runs
        number += 1


def check(worker: Worker, what: str) -> None:
    """Check what is stored against all records."""
    run(lambda: _check_entries(worker, what))
    for board in worker.story.now.boards:
        by_row: dict[str, list[BoardEntry]] = {}
        for entry in worker.story.entries.values():
            row = board.find_row(entry)
            if row is not None:
                by_row.setdefault(row, []).append(entry)
        for row, entries in by_row.items():
            run(lambda board=board, row=row, entries=entries: _check_row(worker, board, row, entries, what))


def watch(worker: Worker, what: str) -> None:
    """Look after some of the transactions whether each standing is the fold of exactly what is stored then."""
    chance = random.Random(what)  # noqa: S311  # one of its own, so that a look changes no story
    beside = Worker(worker.story, WovenTables(chance, worker.client.table))

    def look() -> None:
        if chance.random() < LOOKS:
            run(lambda: _check_moment(beside, what))

    worker.client.look = look


def _check_moment(worker: Worker, what: str) -> None:
    """Check the boards that the anchor of each player knows: others no longer get what arrives."""
    stored = [*BoardEntryStore(worker.table).list_all(BOARD)]
    for player in {entry.player.id for entry in stored}:
        anchor = _read_folded(worker, RowKey(BOARD, player))
        for board in worker.story.publishings[anchor.seen_number - 1].boards:
            taken = [(board.find_row(entry), entry) for entry in stored if entry.player.id == player]
            for row in {row for row, _ in taken if row is not None}:
                if _read_folded(worker, RowKey(board.key, row)).is_folded(board.rules, board.publish_number):
                    _compare(worker, board, row, [entry for taken_by, entry in taken if taken_by == row], what)


def _read_folded(worker: Worker, key: RowKey) -> FoldedStanding:
    return read_folded_standing(worker.table.get(Schema.STANDING, **key.to_attributes()))


def _check_entries(worker: Worker, what: str) -> None:
    stored = keep_newest(BoardEntryStore(worker.table).list_all(BOARD))
    assert stored == worker.story.entries, what


def _check_row(worker: Worker, board: PlainBoard, row: str, entries: Sequence[BoardEntry], what: str) -> None:
    state = _compare(worker, board, row, entries, what)
    what = f"{what}: {row} of {board.key}"
    noticed = [notice for _, notice in state.notices if notice.reason != RESTORED]
    assert noticed == [*join_notices((), (entry.notice for entry in entries))], what
    shown = state.standings.get(row)
    assert shown is None or shown.player == max(entries, key=lambda entry: entry.submission).player, what
    assert state.publish_number == board.publish_number, what


def _compare(worker: Worker, board: PlainBoard, row: str, entries: Sequence[BoardEntry], what: str) -> BoardState:
    """Compare a standing with the definition of a fold of entries, to the last bit; return what was read."""
    what = f"{what}: {row} of {board.key}"
    counted = [ScoredSubmission(entry.submission, entry.scores) for entry in entries if not entry.withdrawn]
    standing = define_standing(counted, board.rules)
    improvements = find_improvements(counted, board.rules) if board.rules.with_improvements else ()
    state = StandingStore(worker.table).read_board(board.key, [row], rules=board.rules)
    shown = state.standings.get(row)
    assert repr(shown and shown.standing) == repr(standing), what
    assert repr(shown.improvements if shown else ()) == repr(improvements), what
    return state
