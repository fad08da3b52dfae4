"""What one more submission costs the fold, as its player's history grows."""

import json
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import batched
from typing import Any, NamedTuple

from growing.memory import MemoryTables

from scoring_core.benchmarks.definition import Combine, Keep, Ranking
from scoring_core.metrics.score_type import ScoreType
from scoring_core.ranking.accumulators import FoldingRules, ScoredSubmission, fold_submissions
from storage.boards.entries import BoardEntry, BoardEntryStore
from storage.boards.folding import StandingFolder
from storage.boards.standings import BoardKey
from storage.gateway.schema import Schema
from storage.gateway.table import Table
from storage.keys import make_submission_id
from storage.submissions.models import Player, PlayerKind
from tests.harness.plain_boards import PlainBoard, make_version

BOARD = BoardKey("growth", "0123456789abcdef")
START = datetime(2026, 1, 1, tzinfo=UTC)
NUMBER = 1
BATCH = 100
"""Earlier submissions that are folded together, except the last ones."""
TABLE = "boards"


class Shape(NamedTuple):
    """What a benchmark keeps, and how many parts and metrics it has."""

    keep: Keep
    parts: int
    metrics: int

    def __str__(self) -> str:
        """Return how the table names it."""
        parts = f"{self.parts} parts" if self.parts else "no parts"
        return f"{self.keep.value}, {parts}, {self.metrics} metric{'s' if self.metrics > 1 else ''}"

    @property
    def rules(self) -> FoldingRules:
        """The rules of folding."""
        names = [f"m{number}" for number in range(self.metrics)]
        headers = [{"name": name, "type": "float", "direction": "higher"} for name in names]
        ranking = Ranking(keep=self.keep, combine=Combine.MEAN, by=(names[0],))
        parts = tuple(f"q{number}" for number in range(self.parts))
        return FoldingRules(ranking, ScoreType.model_validate({"headers": headers}), parts)


SHAPES = tuple(Shape(keep, parts, metrics) for keep in Keep for parts, metrics in ((0, 1), (12, 2)))


class Growth(NamedTuple):
    """What a submission costs after `n` earlier ones: milliseconds of the processor, and calls of AWS."""

    n: int
    ms: float
    calls: float


@dataclass
class Submitter:
    """Players who submit, and the fold of what they submit, over a table in memory.

    Args:
        shape: The benchmark.
    """

    shape: Shape
    client: MemoryTables = field(default_factory=lambda: MemoryTables({TABLE: ("board", "item")}))

    def __post_init__(self) -> None:
        """Build the fold."""
        self.rules = self.shape.rules
        self.table = Table(self.client, TABLE)  # type: ignore[arg-type]
        self.folder = StandingFolder(BoardEntryStore(self.table))

    def measure(self, player: Player, entries: Sequence[BoardEntry], *, runs: int) -> list[Growth]:
        """Fold all entries, and return what the last ones cost.

        Args:
            player: The player who submits.
            entries: In order of submission.
            runs: How many of the last ones are measured.
        """
        size = len(entries) - runs
        for batch in batched(entries[:size], BATCH, strict=False):
            self._fold(batch)
        spent = [_spend(self.client, partial(self._fold, [entry])) for entry in entries[size:]]
        self._check(player, entries)
        return [Growth(size, *each) for each in spent]

    def _fold(self, entries: Sequence[BoardEntry]) -> None:
        self.folder.fold(make_version(PlainBoard(BOARD, self.rules, NUMBER), publish_number=NUMBER), entries)

    def _check(self, player: Player, entries: Sequence[BoardEntry]) -> None:
        """Check that the stored standing is what the whole history gives, to the last bit."""
        stored = self.table.get(Schema.STANDING, board=str(BOARD), item=f"player#{player.id}")
        whole = fold_submissions((ScoredSubmission(entry.submission, entry.scores) for entry in entries), self.rules)
        standing = whole.read_standing(self.rules)
        assert stored is not None
        assert standing is not None
        assert [json.loads(str(stored["scores"])), stored["submission"], stored["submissions"]] == [
            standing.scores,
            standing.submission,
            standing.submissions,
        ], (self.shape, stored, standing)


def measure_histories(sizes: Sequence[int], *, runs: int) -> Iterator[tuple[Shape, list[Growth]]]:
    """Measure what a submission costs after so many earlier ones of its player, for each shape."""
    for shape in SHAPES:
        yield shape, [_measure(shape, size, runs=runs) for size in sizes]


def join(measured: Sequence[Sequence[Growth]]) -> list[Growth]:
    """Return the mean over all shapes, for each size."""
    return [
        Growth(
            growths[0].n,
            statistics.fmean(growth.ms for growth in growths),
            statistics.fmean(growth.calls for growth in growths),
        )
        for growths in zip(*measured, strict=True)
    ]


def _measure(shape: Shape, size: int, *, runs: int) -> Growth:
    """Measure `runs` submissions in all; of several players if the history is short."""
    each = min(runs, max(2, size // 4))
    submitter = Submitter(shape)
    growths: list[Growth] = []
    for number in range(-(-runs // each)):
        player = Player(f"player-{number}", f"Player No {number}", PlayerKind.HUMAN, verified=True)
        entries = list(_draw_entries(shape, player, size + each, seed=number))
        growths += submitter.measure(player, entries, runs=each)
    return _summarise(size, growths)


def _summarise(size: int, growths: Sequence[Growth]) -> Growth:
    calls = statistics.fmean(growth.calls for growth in growths)
    return Growth(size, statistics.median(growth.ms for growth in growths), calls)


def _draw_entries(shape: Shape, player: Player, count: int, *, seed: int) -> Iterator[BoardEntry]:
    """Draw submissions, each of all parts, in order of time."""
    chance = random.Random(f"{shape} {seed}")
    rules = shape.rules
    for number in range(count):
        submission = make_submission_id(START + timedelta(seconds=number), chance.randbytes(10))
        scores = {
            part: {name: round(chance.gauss(50, 20), 3) for name in rules.score_type.names}
            for part in sorted(rules.counted)
        }
        yield BoardEntry(player, submission, 1, scores)


def _spend(client: MemoryTables, act: Any) -> tuple[float, int]:
    """Return the milliseconds of the processor and the calls."""
    calls, started = client.calls.total(), time.process_time()
    act()
    return (time.process_time() - started) * 1000, client.calls.total() - calls
